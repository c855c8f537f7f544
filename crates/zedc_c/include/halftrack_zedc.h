/*
 * Services of zEDC Express cards, in the shape of those that authorized programs of z/OS call.
 *
 * Every service returns a return code and a reason code:
 *
 *   return code 00   done
 *   return code 04   the cards cannot do it now: do it in software, or later
 *   return code 08   there is no card that can do it: do it in software
 *   return code 0C   a mistake of the program, or in its data: software would not do it either
 *
 * A pointer that is NULL, or leads to no storage, is answered with 0C/0F30. Results are zeros unless the answer is 00/0000.
 *
 * Any thread may call any service at any time. After fork the tokens of the parent are unknown in the child (0C/0208), which
 * rendezvouses by itself; memory of the parent's regions is shared with the child, and remains the parent's.
 */
#ifndef HALFTRACK_ZEDC_H
#define HALFTRACK_ZEDC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return codes. */
#define FPZ4_RC_DONE 0x00u
#define FPZ4_RC_WARNING 0x04u
#define FPZ4_RC_ENVIRONMENT 0x08u
#define FPZ4_RC_PROGRAM 0x0Cu

/* Reason codes that public tables have. */
#define FPZ4_RSN_DONE 0x0000u                 /* 00, and with 08: no card can be used */
#define FPZ4_RSN_NO_HARDWARE 0x0000u          /* 08 */
#define FPZ4_RSN_SOFTWARE_LEVEL 0x0900u       /* 08; not given here */
#define FPZ4_RSN_WRONG_ENVIRONMENT 0x0207u    /* 0C: the user may not use the cards */
#define FPZ4_RSN_BAD_RENDEZVOUS_TOKEN 0x0208u /* 0C */
#define FPZ4_RSN_BAD_REGION_ADDRESS 0x021Eu   /* 0C; not given here: the service chooses the address */
#define FPZ4_RSN_BAD_REGION_LENGTH 0x021Fu    /* 0C: no whole pages, or more than there are; at most 4 GiB in all */
#define FPZ4_RSN_KEY_MISMATCH 0x0220u         /* 0C; not given here: programs have one key */
#define FPZ4_RSN_BAD_APPLICATION_ID 0x0226u   /* 0C */
#define FPZ4_RSN_NO_DATA_SPACES 0x0227u       /* 0C; not given here */

/* Reason codes of this project. */
#define FPZ4_RSN_QUEUES_FULL 0x0F01u          /* 04 */
#define FPZ4_RSN_DEVICE_LOST 0x0F02u          /* 08; not given here: another card does the request, or 08/0000 */
#define FPZ4_RSN_REGION_OVERLAP 0x0F10u       /* 0C; not given here */
#define FPZ4_RSN_TOO_MANY_REGIONS 0x0F11u     /* 0C: more than 256 */
#define FPZ4_RSN_BAD_REGION_TOKEN 0x0F12u     /* 0C */
#define FPZ4_RSN_OUTSIDE_REGION 0x0F13u       /* 0C: a segment is not within its region */
#define FPZ4_RSN_BAD_OPTIONS 0x0F14u          /* 0C */
#define FPZ4_RSN_BAD_LIST 0x0F15u             /* 0C: no segment, more than 257, or several of a flat area */
#define FPZ4_RSN_TOO_LONG 0x0F16u             /* 0C: more than 1 MiB of input, or than it can become */
#define FPZ4_RSN_AREA_OVERLAP 0x0F17u         /* 0C */
#define FPZ4_RSN_OUTPUT_TOO_SMALL 0x0F20u     /* 0C */
#define FPZ4_RSN_CORRUPT 0x0F21u              /* 0C */
#define FPZ4_RSN_TRUNCATED 0x0F22u            /* 0C */
#define FPZ4_RSN_EXPANDS_TOO_FAR 0x0F23u      /* 0C */
#define FPZ4_RSN_REGION_FREED 0x0F24u         /* 0C: fpz4dmr came before the request ended */
#define FPZ4_RSN_STORAGE_FAULT 0x0F25u        /* 0C; not given here */
#define FPZ4_RSN_ENDED 0x0F26u                /* 0C: fpz4urz came before the request ended */
#define FPZ4_RSN_BAD_POINTER 0x0F30u          /* 0C: NULL, or no storage */
#define FPZ4_RSN_FAILED 0x0F31u               /* 08: a defect of this library; the token may be unknown now */

/* Options of fpz4abc. */
#define FPZ4_INFLATE UINT64_C(0x8000000000000000)     /* inflate, and not deflate */
#define FPZ4_INPUT_LIST UINT64_C(0x4000000000000000)  /* the input is a list of segments */
#define FPZ4_OUTPUT_LIST UINT64_C(0x2000000000000000) /* the output is a list of segments */
#define FPZ4_OPEN UINT64_C(0x0100000000000000)        /* deflate without a final block: other requests continue the stream */

#define FPZ4_APPLICATION 1u          /* the application id that is defined */
#define FPZ4_PAGE_BYTES 4096u        /* regions are whole pages */
#define FPZ4_INPUT_BYTES_MAX 1048576u /* most octets of input of a request */
#define FPZ4_SEGMENTS_MAX 257u       /* most segments of a list */

/* Most octets into which so many are deflated: what does not shrink is stored. */
#define FPZ4_DEFLATE_BOUND(bytes) ((bytes) + 5u * (((bytes) + 32767u) / 32768u + ((bytes) == 0u)))
/* Most octets of output of a request. */
#define FPZ4_OUTPUT_BYTES_MAX FPZ4_DEFLATE_BOUND(FPZ4_INPUT_BYTES_MAX)

/* Both codes of an answer. */
typedef struct fpz4_codes {
    uint32_t return_code;
    uint32_t reason_code;
} fpz4_codes;

/* Token of a process that uses the cards of a machine. No token is given twice. */
typedef struct fpz4_rendezvous_token {
    uint8_t octets[16];
} fpz4_rendezvous_token;

/* Token of a region. No token is given twice. */
typedef struct fpz4_region_token {
    uint8_t octets[8];
} fpz4_region_token;

/* Run of octets in a region. */
typedef struct fpz4_segment {
    fpz4_region_token region;
    void *address;
    uint32_t bytes;
} fpz4_segment;

/* Result of a request. */
typedef struct fpz4_result {
    uint32_t consumed_bytes; /* octets of input, without those behind a final block */
    uint32_t produced_bytes; /* octets of output */
    uint32_t crc32;          /* of the data that are not compressed */
    uint32_t adler32;        /* of the data that are not compressed */
    uint64_t queue_us;       /* time from the submission to the begin of the work, microseconds */
    uint64_t execution_us;   /* time in the engine, microseconds */
} fpz4_result;

/* Rendezvous: begins the use of the cards of the machine that has this directory. */
fpz4_codes fpz4rzv(const char *directory, uint32_t application, fpz4_rendezvous_token *token);

/* Probe: 00/0000 when a card takes requests now. */
fpz4_codes fpz4prb(const fpz4_rendezvous_token *token);

/*
 * Register a memory region. Here the service gives the memory, `bytes` octets of zeros: a process cannot share private pages
 * afterwards with the process of a card. The region begins on a page, and `bytes` is a multiple of FPZ4_PAGE_BYTES.
 *
 * A card that keeps a request for more than 10 s is given up, and the memory exchanged in its place, with the same octets at
 * the same address. Octets that another thread stores into a region in that moment can be lost.
 */
fpz4_codes fpz4rmr(const fpz4_rendezvous_token *token, size_t bytes, void **address, fpz4_region_token *region);

/* Deregister a memory region: its memory is unmapped. Requests that use it and have not ended end with 0C/0F24. */
fpz4_codes fpz4dmr(const fpz4_rendezvous_token *token, const fpz4_region_token *region);

/*
 * One autonomous request: deflates to raw DEFLATE (RFC 1951), or inflates it, and returns when that has ended. Nothing is kept
 * between requests. An area that is flat has one segment. Segments of the output overlap nothing. What the output area has
 * behind `produced_bytes`, or when the answer is not 00/0000, is undefined.
 */
fpz4_codes fpz4abc(const fpz4_rendezvous_token *token, uint64_t options, const fpz4_segment *input,
                   uint32_t input_segments, const fpz4_segment *output, uint32_t output_segments,
                   fpz4_result *result);

/* End of the rendezvous: memory of its regions is unmapped. Requests that have not ended end with 0C/0F26. */
fpz4_codes fpz4urz(const fpz4_rendezvous_token *token);

#ifdef __cplusplus
}
#endif

#endif
