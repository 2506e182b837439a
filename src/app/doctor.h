/* cyctop doctor: what this machine and this user can measure. */
#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H

/* Runs the command; argv[0] is "doctor".  Returns the exit status. */
int doctor_main(int argc, char **argv);

#endif
