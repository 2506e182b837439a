/* The meaning of a name: its normalised form, the same when a program is rebuilt, installed elsewhere, or run again. */
#ifndef DIFF_MEANING_H
#define DIFF_MEANING_H

#include "base/strbuf.h"

#include <cyctop/model.h>

/* Appends the value of a key, without what a compiler, a linker or a path added to it:
 *
 *   symbols   parse.constprop.0            parse        clones and parts share the row of their function
 *             parse.part.2.cold            parse
 *             fmt::write::h0123456789abcdef              fmt::write   Rust's hash of a crate's build
 *   DSOs      /opt/v2/libz.so.1.2.13 (deleted)           libz.so.1    what most libraries have as soname
 *             /lib/libc-2.31.so                          libc.so.6    as it is called from glibc 2.34 on
 *             /tmp/perf-4711.map                         perf.map     the pid of one run
 *
 * Values of other dimensions are appended unchanged. */
void meaning_add(struct strbuf *b, enum dimension_id dim, const char *value);

/* Appends the suffixes that tell which part or clone of a function a name means: "" for the function itself,
 * ".part.cold" for "parse.part.2.cold".  Numbers in suffixes are left out: they differ from build to build. */
void meaning_add_pieces(struct strbuf *b, const char *name);

#endif
