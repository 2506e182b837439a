/* Finds the call chains of a session in a file that is its baseline, by the names of their functions. */
#ifndef COMPARISON_CHAINS_H
#define COMPARISON_CHAINS_H

#include <cyctop/comparison.h>

/* Returns the shares of all call chains of `p`, a tree by DIM_CHAIN in a snapshot of the session.  The key of a share
 * is a hash of the names in the chain, as they mean the same in another build (src/diff/meaning.h); chains whose names
 * mean the same have one share, their sum. */
struct chain_shares chain_shares_of(struct session *s, const struct snapshot *snap, const struct pivot *p);

/* Returns for each row of `p`, a tree by DIM_CHAIN of the session, the share that its chain has in `of`; the key is
 * row.id.  Chains that `of` lacks are left out.  Shares are not valid if the names of several rows mean the same, since
 * which part belongs to which row is unknown; and if a function in the chain has no name and its file was built again,
 * as config->rebuilt tells. */
struct chain_shares chain_shares_find(struct session *s, const struct pivot *p, const struct chain_shares *of,
				      const struct diff_config *config);

#endif
