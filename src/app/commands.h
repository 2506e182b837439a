/* All commands except the screen and batch output (app.h).  argv[0] is the command's name.  Each function returns the
 * exit status of cyctop; if the command runs a program, this is the program's. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

int annotate_main(int argc, char **argv);
int calls_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int list_main(int argc, char **argv);
int probe_main(int argc, char **argv);
int record_main(int argc, char **argv);

#endif
