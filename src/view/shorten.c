/* Shortens demangled names to the width of a cell.
 *
 * A name is parsed as text with nested pairs of brackets.  The least informative parts are
 * left out first: the return type; template arguments, innermost first; parameters, innermost
 * first; the paths in Rust's "<Type as Trait>", then all of it; leading scopes.  Brackets stay
 * paired at every step, and the name of the function itself is never cut. */
#include "view/internal.h"

#include <stdio.h>
#include <string.h>

enum { GROUPS_MAX = 400, DEPTH_MAX = 100 };
static const char dots[] = "…";

struct group {
	size_t open, close; /* offsets of the opening and the closing bracket */
	int depth;	    /* nesting depth; 1: outermost */
	bool self;	    /* Rust's "<Type as Trait>", the first part of a path */
};

struct parsed {
	const char *name;
	size_t n;
	struct group groups[GROUPS_MAX]; /* sorted by `open` */
	size_t groups_n;
	int deepest; /* the largest depth */
};

/* What to leave out of a name. */
struct cuts {
	int templates, parameters; /* groups at this depth and deeper are left out; 0: none */
	/* parts of "<Type as Trait>" to leave out.  paths: the scopes of both types; selves: all of it */
	bool paths, selves;
	/* The shortened name consists of the bytes [0, prefix) of the name, of "…" if `marked`, and of the bytes from
	 * `start` on. */
	size_t prefix, start;
	bool marked;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static bool is_operator_word(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;
	return strncmp(name + at, word, n) == 0 && !is_word(name[at + n]) && (at == 0 || !is_word(name[at - 1]));
}

/* Returns the length of the operator's sign at name[at] if the word "operator" precedes it; a '<' or '(' in the sign is
 * no bracket.  "operator<<int>" has two readings: `longest` takes the sign for "<<", otherwise it is "<". */
static size_t operator_sign(const char *name, size_t at, bool longest)
{
	static const char *const signs[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"};
	static const char *const brief[] = {"->*", "->", "()", "[]", "<=", ">=", "<", ">"};
	const char *const *list = longest ? signs : brief;
	size_t n = longest ? ARRAY_LEN(signs) : ARRAY_LEN(brief);
	if (at < 8 || !is_operator_word(name, at - 8))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(name + at, list[i], strlen(list[i])) == 0)
			return strlen(list[i]);
	}
	return 0;
}

/* Returns the length of the character or string constant at `s`; 0: there is none.  A Rust lifetime ('a) is none. */
static size_t quoted(const char *s)
{
	if (s[0] == '\'' && s[1] && s[1] != '\\' && s[2] == '\'')
		return 3;
	if (s[0] != '"' && !(s[0] == '\'' && s[1] == '\\'))
		return 0;
	for (size_t i = 1; s[i]; i++) {
		if (s[i] == '\\' && s[i + 1])
			i++;
		else if (s[i] == s[0])
			return i + 1;
	}
	return 0;
}

static bool is_open(char c)
{
	return c == '<' || c == '(' || c == '[' || c == '{';
}

static char partner(char close)
{
	return close == '>' ? '<' : close == ')' ? '(' : close == ']' ? '[' : close == '}' ? '{' : '\0';
}

struct open_groups {
	size_t at[DEPTH_MAX]; /* indices of groups */
	int n;
};

/* Returns true if a '<' at `at` begins a path, rather than the arguments of the name before it. */
static bool begins_path(const char *name, size_t at)
{
	if (at == 0)
		return true;
	if (name[at - 1] != ' ')
		return name[at - 1] == '&' || name[at - 1] == '*';
	size_t i = at - 1;
	while (i > 0 && !is_word(name[i - 1]))
		i--;
	return i < 8 || !is_operator_word(name, i - 8);
}

static bool open_group(struct parsed *p, struct open_groups *open, size_t at)
{
	if (p->groups_n == GROUPS_MAX || open->n == DEPTH_MAX)
		return false;
	struct group *g = &p->groups[p->groups_n];
	*g = (struct group){.open = at, .depth = open->n + 1, .self = p->name[at] == '<' && begins_path(p->name, at)};
	open->at[open->n++] = p->groups_n++;
	if (open->n > p->deepest)
		p->deepest = open->n;
	return true;
}

/* Closes a group at the bracket name[at].  A '<' that is still open at a ')' was "less than"; a '>' without an open '<'
 * is "greater than". */
static bool close_group(struct parsed *p, struct open_groups *open, size_t at)
{
	char want = partner(p->name[at]);
	int i = open->n - 1;
	while (want != '<' && i >= 0 && p->name[p->groups[open->at[i]].open] == '<')
		i--;
	if (i < 0)
		return false;
	struct group *g = &p->groups[open->at[i]];
	if (p->name[g->open] != want)
		return want == '<';
	for (int less = i + 1; less < open->n; less++)
		p->groups[open->at[less]].close = 0;
	g->close = at;
	open->n = i;
	return true;
}

/* Finds all groups of brackets.  Returns false if brackets are not paired, or there are too many. */
static bool parse(struct parsed *p, const char *name, bool longest)
{
	struct open_groups open = {.n = 0};
	p->name = name;
	p->n = strlen(name);
	p->groups_n = 0;
	p->deepest = 0;
	for (size_t i = 0; i < p->n; i++) {
		size_t skip = operator_sign(name, i, longest);
		if (!skip)
			skip = quoted(name + i);
		if (skip) {
			i += skip - 1;
			continue;
		}
		if (is_open(name[i]) && !open_group(p, &open, i))
			return false;
		if (partner(name[i]) && !(name[i] == '>' && i && (name[i - 1] == '-' || name[i - 1] == '=')) &&
		    !close_group(p, &open, i))
			return false;
	}
	return open.n == 0;
}

/* Returns the group whose opening bracket is at `at`; NULL: none is there. */
static const struct group *group_at(const struct parsed *p, size_t at)
{
	size_t low = 0, high = p->groups_n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (p->groups[mid].open < at)
			low = mid + 1;
		else
			high = mid;
	}
	const struct group *g = low < p->groups_n ? &p->groups[low] : NULL;
	return g && g->open == at && g->close ? g : NULL;
}

/* Returns true if the cuts leave out the text between the brackets of the group.  Brackets that do not hold arguments
 * keep their text, such as those of a pointer to a function. */
static bool is_cut(const struct parsed *p, const struct group *g, const struct cuts *cuts)
{
	static const char anonymous[] = "(anonymous namespace)";
	if (g->close - g->open <= 2)
		return false;
	if (p->name[g->open] == '<')
		return g->self && g->depth == 1 ? cuts->selves : cuts->templates && g->depth >= cuts->templates;
	if (p->name[g->open + 1] == '*' || p->name[g->open + 1] == '&') /* a pointer to a function */
		return false;
	return p->name[g->open] == '(' && cuts->parameters && g->depth >= cuts->parameters &&
	       strncmp(p->name + g->open, anonymous, sizeof(anonymous) - 1) != 0;
}

struct out {
	char *buf;
	size_t n, cap;
	bool full;
};

static void put(struct out *out, const char *s, size_t n)
{
	if (out->full || n >= out->cap - out->n) {
		out->full = true;
		return;
	}
	memcpy(out->buf + out->n, s, n);
	out->n += n;
}

/* Returns the length of the qualifiers "a::b::" of the path that begins at name[at], without the path's last part. */
static size_t path_length(const char *name, size_t at)
{
	size_t last = at;
	for (size_t i = at; is_word(name[i]);) {
		while (is_word(name[i]))
			i++;
		if (name[i] != ':' || name[i + 1] != ':' || !is_word(name[i + 2]))
			break;
		i += 2;
		last = i;
	}
	return last - at;
}

/* Writes the name without the parts that are cut.  Returns false if the result does not fit into buf[cap]. */
static bool render(const struct parsed *p, const struct cuts *cuts, char *buf, size_t cap)
{
	struct out out = {.buf = buf, .cap = cap};
	size_t self_end = 0; /* end of the current "<Type as Trait>" */
	put(&out, p->name, cuts->prefix);
	if (cuts->marked)
		put(&out, dots, sizeof(dots) - 1);
	for (size_t i = cuts->start; i < p->n && !out.full; i++) {
		const struct group *g = group_at(p, i);
		if (g && is_cut(p, g, cuts)) {
			if (i && p->name[i] == '<' && p->name[i - 1] == '<') /* becomes "operator< <…>" */
				put(&out, " ", 1);
			put(&out, p->name + i, 1);
			put(&out, dots, sizeof(dots) - 1);
			i = g->close;
		} else if (g && g->self && g->depth == 1)
			self_end = g->close;
		if (cuts->paths && i < self_end && !is_word(p->name[i ? i - 1 : 0]) &&
		    (i == 0 || p->name[i - 1] != ':'))
			i += path_length(p->name, i);
		put(&out, p->name + i, 1);
	}
	if (out.full)
		return false;
	buf[out.n] = '\0';
	return true;
}

static bool fits(const struct parsed *p, const struct cuts *cuts, int width, char *buf, size_t cap)
{
	return render(p, cuts, buf, cap) && text_width(buf) <= width;
}

/* Returns the next offset that is outside of brackets. */
static size_t top_next(const struct parsed *p, size_t at)
{
	const struct group *g = group_at(p, at);
	return (g ? g->close : at) + 1;
}

/* Returns the length of a prefix that must stay: "vtable for ", "non-virtual thunk to "; 0: there is none. */
static size_t special_prefix(const struct parsed *p)
{
	size_t end = 0;
	for (size_t i = 0; i < p->n; i = top_next(p, i)) {
		if (p->name[i] == '(')
			break;
		if (strncmp(p->name + i, " for ", 5) == 0)
			end = i + 5;
		else if (strncmp(p->name + i, " to ", 4) == 0)
			end = i + 4;
	}
	return end;
}

/* Returns the offset of the name behind its return type; 0: it has none.  Only instances of templates have a return
 * type; their parameters follow a '>'. */
static size_t after_return_type(const struct parsed *p)
{
	size_t blank = 0;
	bool word = false; /* the word "operator" was seen: an operator's name may have blanks */
	for (size_t i = 0; i < p->n; i = top_next(p, i)) {
		if (p->name[i] == '(' && i && p->name[i - 1] == '>')
			return blank ? blank + 1 : 0;
		if (is_operator_word(p->name, i))
			word = true;
		if (p->name[i] == ' ' && !word)
			blank = i;
	}
	return 0;
}

/* How the scopes of a name are separated, if not by "::". */
struct scopes {
	bool dotted; /* by dots, as in D.  A name of C may have dots, but has no parameters. */
	/* Offset of the last slash of a Go package, "net/http.(*conn).serve": dots before it belong to host names.  0:
	 * the name has no Go package. */
	size_t slash;
};

static struct scopes scopes_of(const struct parsed *p)
{
	struct scopes s = {.dotted = !strstr(p->name, "::") && strchr(p->name, '(')};
	for (size_t i = 1; !strstr(p->name, "::") && i < p->n; i = top_next(p, i))
		if (p->name[i] == '/' && is_word(p->name[i + 1]))
			s.slash = i;
	if (!strchr(p->name + s.slash, '.')) /* "kworker/u16:3" is no Go package */
		s.slash = 0;
	s.dotted &= !s.slash;
	return s;
}

/* Returns the length of the separator of two scopes at `at`.  Returns 0 if there is none, or if the shortened name must
 * not begin behind it: a closure's name means nothing without that of the function around it. */
static size_t scope_mark(const struct parsed *p, size_t at, const struct scopes *scopes)
{
	const char *s = p->name + at;
	if (scopes->dotted && *s == '.')
		return 1;
	if (scopes->slash)
		return *s == '/' || (at > scopes->slash && s[0] == '.' && s[1] == '(');
	if (s[0] != ':' || s[1] != ':' || !(is_word(s[2]) || s[2] == '(' || s[2] == '~'))
		return 0;
	bool of_closure = at && (s[-1] == '}' || s[-1] == ')' || s[-1] == '\'');
	return of_closure && strncmp(s + 2, "operator()", 10) == 0 ? 0 : 2;
}

/* Leaves out scopes from the left until the name fits, or only its last scope is left.  Returns false if the name has
 * only one scope. */
static bool drop_scopes(const struct parsed *p, struct cuts *cuts, int width, char *buf, size_t cap)
{
	bool any = false;
	struct scopes scopes = scopes_of(p);
	for (size_t i = cuts->start; i < p->n; i = top_next(p, i)) {
		if (is_operator_word(p->name, i)) { /* "operator int": the type is the name */
			i += 8 + operator_sign(p->name, i + 8, true);
			while (i < p->n && !(group_at(p, i) && p->name[i] == '('))
				i = top_next(p, i);
		}
		size_t n = scope_mark(p, i, &scopes);
		if (p->name[i] == '(' && scopes.dotted && i && p->name[i - 1] != '!')
			break;
		if (!n || i + n >= p->n)
			continue;
		cuts->start = i + n;
		cuts->marked = any = true;
		if (fits(p, cuts, width, buf, cap))
			return true;
	}
	return any && render(p, cuts, buf, cap);
}

static const char *shorten(const struct parsed *p, int width, char *buf, size_t cap)
{
	struct cuts cuts = {.templates = 0};
	size_t special = special_prefix(p);
	if (!special) {
		cuts.start = after_return_type(p);
		if (cuts.start && fits(p, &cuts, width, buf, cap))
			return buf;
	}
	for (cuts.templates = p->deepest; cuts.templates > 1; cuts.templates--) {
		if (fits(p, &cuts, width, buf, cap))
			return buf;
	}
	cuts.templates = 1;
	if (fits(p, &cuts, width, buf, cap))
		return buf;
	for (cuts.parameters = p->deepest; cuts.parameters > 1; cuts.parameters--) {
		if (fits(p, &cuts, width, buf, cap))
			return buf;
	}
	cuts.parameters = 1;
	if (fits(p, &cuts, width, buf, cap))
		return buf;
	cuts.paths = true;
	if (fits(p, &cuts, width, buf, cap))
		return buf;
	cuts.selves = true;
	if (fits(p, &cuts, width, buf, cap))
		return buf;
	cuts.prefix = special;
	cuts.start = special > cuts.start ? special : cuts.start;
	if (drop_scopes(p, &cuts, width, buf, cap))
		return buf;
	return render(p, &cuts, buf, cap) ? buf : p->name;
}

/* Shortens the name that V8 gives a JavaScript function, "JS:*parse /srv/app/lib/parser.js:12:5": leaves out the
 * directories, then also file and line.  Returns false if the name has another form, or `cap` is too small. */
static bool shorten_v8(const char *name, int width, char *buf, size_t cap)
{
	static const char *const kinds[] = {"JS:", "LazyCompile:", "Function:", "Eval:", "Script:", "Callback:"};
	size_t k = 0;
	while (k < ARRAY_LEN(kinds) && strncmp(name, kinds[k], strlen(kinds[k])) != 0)
		k++;
	const char *where = strrchr(name, ' ');
	if (k == ARRAY_LEN(kinds) || !where)
		return false;
	const char *slash = strrchr(where, '/');
	int n = slash ? snprintf(buf, cap, "%.*s %s%s", (int)(where - name), name, dots, slash + 1) : (int)cap;
	if (n >= (int)cap || text_width(buf) > width)
		n = snprintf(buf, cap, "%.*s %s", (int)(where - name), name, dots);
	return n < (int)cap;
}

const char *text_shorten(const char *name, int width, char *buf, size_t cap)
{
	struct parsed p;
	if (text_width(name) <= width)
		return name;
	if (shorten_v8(name, width, buf, cap))
		return buf;
	if (!parse(&p, name, true) && !parse(&p, name, false))
		return name;
	return shorten(&p, width, buf, cap);
}
