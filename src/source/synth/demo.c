/* Contains the script of --demo, demo.script; doc/synthetic.md explains the language. */
#include <cyctop/source.h>

const char synth_demo_script[] =
#include "demo.inc"
	;
