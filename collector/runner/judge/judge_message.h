/* judge_message.h - what do a runner and the process of its judge say to each other? One request, one reply, each a
 * message of fixed size on a SOCK_SEQPACKET socket between two programs of one build. No reply tells a seed, the salt
 * or a value of a reference, but for those of LOOK: the salt, and what is wrong. */
#ifndef CPPROF_JUDGE_MESSAGE_H
#define CPPROF_JUDGE_MESSAGE_H

#include <stdint.h>

#include "collector/runner/judge/ranked_task.h"

enum judge_wish {
    JUDGE_TRY,     /* a piece of memory that is shared, without buffers in it */
    JUDGE_RESERVE, /* an arm of one shape without buffers, with room for what their contents are compared with */
    JUDGE_MAKE,    /* the buffers of that arm, with inputs of the seed */
    JUDGE_REDRAW,  /* other inputs into the same buffers */
    JUDGE_POISON,  /* new inputs for the slots that are launched in turn; fill all outputs and the workspace */
    JUDGE_LOOK,    /* judge what was kept, or else the outputs of the slots that were launched */
    JUDGE_SETTLE,  /* new inputs for the first two slots: launches follow for ORDER, AHEAD, AMID */
    JUDGE_ORDER,   /* judge the copies of the second slot's outputs */
    JUDGE_AHEAD,   /* judge the second slot's outputs, which were computed from a copy of the first one's inputs */
    JUDGE_AMID,    /* the same of copies of them, that the stream made amid other launches of a graph */
    JUDGE_DRAW,    /* draw inputs for slots that are asked for by the next FRESH */
    JUDGE_FRESH, /* these inputs for slots that a launch was submitted for, poison into their outputs; a flush; the gate
                    opens */
    JUDGE_OPEN,  /* the gate: a launch waits behind it in its call, and fills nothing */
    JUDGE_KEEP,  /* outputs of one of them, by chance, for a later LOOK */
    JUDGE_END,   /* free the buffers */
    JUDGE_WISHES
};

/* How the L2 cache loses what is in it: by a write, or by reading, which leaves nothing to be written back. */
enum judge_flush { JUDGE_NO_FLUSH, JUDGE_FLUSH_BY_WRITING, JUDGE_FLUSH_BY_READING };

struct judge_request {
    uint32_t wish;
    uint32_t arm;                /* as TRY or RESERVE replied */
    uint64_t launched;           /* LOOK, DRAW, FRESH, KEEP: slots, 1 << number */
    uint32_t gate;               /* FRESH, OPEN: what opens it; 0: there is none */
    uint32_t flush;              /* FRESH: enum judge_flush */
    uint32_t draw;               /* REDRAW: enum cpprof_draw_kind */
    int32_t device;              /* TRY, RESERVE: its ordinal */
    uint32_t number;             /* of the request, from 1 on: the judge ends when one comes that is not the next */
    uint64_t nonce;              /* the reply has it: whoever asks in the runner's name does not know it before */
    uint64_t seed;               /* RESERVE */
    uint64_t workspace_bytes;    /* MAKE */
    struct cpprof_config config; /* TRY, RESERVE */
};

enum { JUDGE_HANDLE_BYTES = 64, JUDGE_TROUBLE_BYTES = 240 };

/* The judge sends the first one unasked, when it is ready. */
struct judge_reply {
    uint32_t number;                   /* of its request; of the first one 0 */
    uint64_t nonce;                    /* of its request */
    int32_t status;                    /* a cudaError_t; of the first one an exit status of ours */
    char trouble[JUDGE_TROUBLE_BYTES]; /* which call failed, and where; empty when the status is 0 */
    uint32_t arm;                      /* TRY, RESERVE: its number from now on */
    uint32_t slots, in_turn;           /* MAKE: those of a series, those launched in turn outside of it */
    uint32_t is_rotated;               /* MAKE: a series is larger than the L2 cache */
    uint32_t can_gate, can_flush;      /* MAKE: what FRESH needs for either is on the device */
    uint32_t kept;                     /* LOOK: outputs of timed launches that were judged; 0: those of slots were */
    /* TRY, MAKE: the size of the allocation of each rank, what stands at the begin of that of the first one (of the
     * next one it is one more), and a cudaIpcMemHandle_t of each. */
    uint64_t bytes, token;
    unsigned char handles[JUDGE_RANKS_MAX][JUDGE_HANDLE_BYTES];
    uint64_t hash;                     /* ORDER: of the second slot's outputs */
    struct cpprof_verification result; /* LOOK, ORDER, AHEAD, AMID */
    char note[40];                     /* LOOK: how these inputs can be had again */
};

#endif
