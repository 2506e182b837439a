/* Makes the contents of files that the key E writes: what the screen shows, in a format of --format. */
#ifndef APP_EXPORT_H
#define APP_EXPORT_H

#include "app/app.h"

#include <cyctop/front.h>

enum { EXPORT_FORMATS_MAX = 16 };
/* The formats that the menu of the key E offers. */
struct export_formats {
	const struct batch_format *v[EXPORT_FORMATS_MAX]; /* array of `n` formats */
	struct view_format shown[EXPORT_FORMATS_MAX];	  /* [n]: as the menu shows them */
	size_t n;
};
void export_formats_init(struct export_formats *f);
/* Returns the contents of the file, *n bytes, which the caller frees: the data of the window or time range that is
 * shown, with all zooms and filters applied.  NULL: there is nothing to write. */
char *export_contents(struct app *app, const struct view_state *st, const struct view_input *in,
		      const struct batch_format *format, size_t *n);

#endif
