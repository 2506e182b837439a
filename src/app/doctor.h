/* cyctop doctor: what this machine and this user can measure. */
#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H

#include <cyctop/doctor.h>
#include <stdio.h>

/* Prints a check a line, as text of 80 columns, or as an object of JSON. */
void doctor_print(const struct doctor_line lines[static DOCTOR_LINES], bool json, FILE *out);

/* Runs the command; argv[0] is "doctor".  Returns the exit status. */
int doctor_main(int argc, char **argv);

#endif
