#ifndef APP_PRIVILEGES_H
#define APP_PRIVILEGES_H

/* Once the events are open: gives up every capability but those that reading
 * names and re-opening a CPU's events need, and the way back to more. */
void privileges_drop(void);

#endif
