/* Contains demo.script, the script of --demo; doc/synthetic.md explains the language of scripts. */
#include <cyctop/source.h>

const char synth_demo_script[] =
#include "demo.inc"
	;
