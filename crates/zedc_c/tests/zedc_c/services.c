/* Goes through the services and their answers; `services DIRECTORY PART`. Prints a line for each answer that was given. */
#define _DEFAULT_SOURCE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "halftrack_zedc.h"

#define MIB 1048576u
#define ROOM_BYTES ((size_t)2 * MIB)

static const char *directory;

/* Expects an answer. */
#define EXPECT(codes, rc, rsn) expect((codes), (rc), (rsn), __LINE__)
/* Expects a condition. */
#define CHECK(condition) ((condition) ? (void)0 : failed(#condition, __LINE__))

static void failed(const char *text, int line) {
    fprintf(stderr, "services.c:%d: %s\n", line, text);
    exit(1);
}

static void expect(fpz4_codes codes, uint32_t rc, uint32_t rsn, int line) {
    if (codes.return_code != rc || codes.reason_code != rsn) {
        fprintf(stderr, "services.c:%d: %02X/%04X and not %02X/%04X\n", line, (unsigned)codes.return_code,
                (unsigned)codes.reason_code, (unsigned)rc, (unsigned)rsn);
        exit(1);
    }
    printf("%02X/%04X\n", (unsigned)rc, (unsigned)rsn);
}

#define DONE(codes) EXPECT((codes), FPZ4_RC_DONE, FPZ4_RSN_DONE)
#define WRONG(codes, rsn) EXPECT((codes), FPZ4_RC_PROGRAM, (rsn))

/* A program with a region for input and one for output. */
struct user {
    fpz4_rendezvous_token token;
    fpz4_region_token in_region, out_region;
    unsigned char *in, *out;
};

static void begin(struct user *user) {
    void *in, *out;
    DONE(fpz4rzv(directory, FPZ4_APPLICATION, &user->token));
    DONE(fpz4prb(&user->token));
    DONE(fpz4rmr(&user->token, ROOM_BYTES, &in, &user->in_region));
    DONE(fpz4rmr(&user->token, ROOM_BYTES, &out, &user->out_region));
    user->in = (unsigned char *)in;
    user->out = (unsigned char *)out;
    CHECK((uintptr_t)in % FPZ4_PAGE_BYTES == 0 && (uintptr_t)out % FPZ4_PAGE_BYTES == 0);
    CHECK(user->in[0] == 0 && user->in[ROOM_BYTES - 1] == 0);
}

static fpz4_segment segment(fpz4_region_token region, unsigned char *address, size_t bytes) {
    fpz4_segment made;
    made.region = region;
    made.address = address;
    made.bytes = (uint32_t)bytes;
    return made;
}

static fpz4_codes request(const struct user *user, uint64_t options, size_t bytes, size_t room,
                          fpz4_result *result) {
    fpz4_segment in = segment(user->in_region, user->in, bytes);
    fpz4_segment out = segment(user->out_region, user->out, room);
    return fpz4abc(&user->token, options, &in, 1, &out, 1, result);
}

static void fill(unsigned char *into, size_t bytes, unsigned seed) {
    size_t at;
    for (at = 0; at < bytes; at++) {
        seed = seed * 1103515245u + 12345u;
        into[at] = (unsigned char)((seed >> 16) % 13 + (at % 97 == 0 ? seed >> 24 : 'a'));
    }
}

/* Inflates raw DEFLATE by zlib, and compares. */
static void check_inflated(const unsigned char *stream, size_t stream_bytes, const unsigned char *data, size_t bytes) {
    unsigned char *back = (unsigned char *)malloc(bytes + 1);
    z_stream inflating;
    memset(&inflating, 0, sizeof inflating);
    CHECK(inflateInit2(&inflating, -15) == Z_OK);
    inflating.next_in = (Bytef *)stream;
    inflating.avail_in = (uInt)stream_bytes;
    inflating.next_out = back;
    inflating.avail_out = (uInt)bytes + 1;
    CHECK(inflate(&inflating, Z_FINISH) == Z_STREAM_END);
    CHECK(inflating.total_in == stream_bytes && inflating.total_out == bytes);
    CHECK(memcmp(back, data, bytes) == 0);
    inflateEnd(&inflating);
    free(back);
}

/* Deflates, has zlib inflate that, and inflates it again. */
static void round_trip(struct user *user, size_t bytes, unsigned seed) {
    fpz4_result result, back;
    size_t stream_bytes;
    unsigned char *data = (unsigned char *)malloc(bytes + 1);
    fill(data, bytes, seed);
    memcpy(user->in, data, bytes);
    DONE(request(user, 0, bytes, FPZ4_DEFLATE_BOUND(bytes), &result));
    stream_bytes = result.produced_bytes;
    CHECK(result.consumed_bytes == bytes && stream_bytes <= FPZ4_DEFLATE_BOUND(bytes));
    CHECK(result.crc32 == crc32(0, data, (uInt)bytes) && result.adler32 == adler32(1, data, (uInt)bytes));
    CHECK(result.queue_us < 60000000 && result.execution_us < 60000000);
    check_inflated(user->out, stream_bytes, data, bytes);
    memcpy(user->in, user->out, stream_bytes);
    memcpy(user->in + stream_bytes, "behind", 6);
    DONE(request(user, FPZ4_INFLATE, stream_bytes + 6, bytes + 1, &back));
    CHECK(back.consumed_bytes == stream_bytes && back.produced_bytes == bytes);
    CHECK(back.crc32 == result.crc32 && back.adler32 == result.adler32);
    CHECK(memcmp(user->out, data, bytes) == 0);
    free(data);
}

static void lists(struct user *user) {
    fpz4_segment in[FPZ4_SEGMENTS_MAX + 1], out[FPZ4_SEGMENTS_MAX + 1];
    fpz4_result result, second;
    const uint64_t both = FPZ4_INPUT_LIST | FPZ4_OUTPUT_LIST;
    unsigned at;
    fill(user->in, 257000, 5);
    for (at = 0; at <= FPZ4_SEGMENTS_MAX; at++) {
        in[at] = segment(user->in_region, user->in + at * 1000, 1000);
        out[at] = segment(user->out_region, user->out + at * 1200, 1200);
    }
    DONE(fpz4abc(&user->token, both, in, FPZ4_SEGMENTS_MAX, out, FPZ4_SEGMENTS_MAX, &result));
    CHECK(result.consumed_bytes == 257000);
    check_inflated(user->out, result.produced_bytes, user->in, 257000);
    WRONG(fpz4abc(&user->token, both, in, FPZ4_SEGMENTS_MAX + 1, out, 1, &result), FPZ4_RSN_BAD_LIST);
    WRONG(fpz4abc(&user->token, both, in, 0, out, 1, &result), FPZ4_RSN_BAD_LIST);
    WRONG(fpz4abc(&user->token, both, in, 1, NULL, 0, &result), FPZ4_RSN_BAD_LIST);
    WRONG(fpz4abc(&user->token, both, in, UINT32_MAX, out, 1, &result), FPZ4_RSN_BAD_LIST);
    WRONG(fpz4abc(&user->token, 0, in, 2, out, 1, &result), FPZ4_RSN_BAD_LIST);
    /* Two requests of one stream. */
    out[0].bytes = 200000;
    DONE(fpz4abc(&user->token, FPZ4_OPEN, in, 1, out, 1, &result));
    out[0] = segment(user->out_region, user->out + result.produced_bytes, 200000);
    DONE(fpz4abc(&user->token, 0, in + 1, 1, out, 1, &second));
    check_inflated(user->out, (size_t)result.produced_bytes + second.produced_bytes, user->in, 2000);
}

static void bad_requests(struct user *user, struct user *other) {
    static const fpz4_result zeros;
    fpz4_result result;
    fpz4_segment in = segment(user->in_region, user->in, 100), out = segment(user->out_region, user->out, 200);
    fpz4_segment bad;
    memset(&result, 0xFF, sizeof result);
    WRONG(request(user, 1, 100, 200, &result), FPZ4_RSN_BAD_OPTIONS);
    CHECK(memcmp(&result, &zeros, sizeof result) == 0);
    WRONG(request(user, FPZ4_INFLATE | FPZ4_OPEN, 100, 200, &result), FPZ4_RSN_BAD_OPTIONS);
    WRONG(request(user, 0, FPZ4_INPUT_BYTES_MAX + 1, 200, &result), FPZ4_RSN_TOO_LONG);
    WRONG(request(user, 0, 1, FPZ4_OUTPUT_BYTES_MAX + 1, &result), FPZ4_RSN_TOO_LONG);
    bad = segment(user->in_region, user->in + ROOM_BYTES - 99, 100);
    WRONG(fpz4abc(&user->token, 0, &bad, 1, &out, 1, &result), FPZ4_RSN_OUTSIDE_REGION);
    bad = segment(user->in_region, NULL, 100);
    WRONG(fpz4abc(&user->token, 0, &bad, 1, &out, 1, &result), FPZ4_RSN_OUTSIDE_REGION);
    bad = segment(user->in_region, (unsigned char *)&in, 100);
    WRONG(fpz4abc(&user->token, 0, &bad, 1, &out, 1, &result), FPZ4_RSN_OUTSIDE_REGION);
    bad = segment(other->in_region, other->in, 100);
    WRONG(fpz4abc(&user->token, 0, &bad, 1, &out, 1, &result), FPZ4_RSN_BAD_REGION_TOKEN);
    WRONG(fpz4dmr(&user->token, &other->in_region), FPZ4_RSN_BAD_REGION_TOKEN);
    WRONG(fpz4abc(&user->token, 0, &in, 1, &in, 1, &result), FPZ4_RSN_AREA_OVERLAP);
    fill(user->in, MIB, 9);
    WRONG(request(user, 0, MIB, 100, &result), FPZ4_RSN_OUTPUT_TOO_SMALL);
    WRONG(request(user, FPZ4_INFLATE, MIB, MIB, &result), FPZ4_RSN_CORRUPT);
    memcpy(user->in, "\x03", 1);
    WRONG(request(user, FPZ4_INFLATE, 1, 100, &result), FPZ4_RSN_TRUNCATED);
    WRONG(request(user, FPZ4_INFLATE, 0, 100, &result), FPZ4_RSN_TRUNCATED);
    {
        uLongf bytes = MIB;
        Bytef *zeros_of_4_mib = (Bytef *)calloc(4, MIB), *stream = (Bytef *)malloc(MIB);
        CHECK(compress2(stream, &bytes, zeros_of_4_mib, 4 * MIB, 9) == Z_OK);
        memcpy(user->in, stream + 2, bytes - 6);
        WRONG(request(user, FPZ4_INFLATE, bytes - 6, FPZ4_OUTPUT_BYTES_MAX, &result), FPZ4_RSN_EXPANDS_TOO_FAR);
        free(zeros_of_4_mib);
        free(stream);
    }
    CHECK(memcmp(&result, &zeros, sizeof result) == 0);
    round_trip(user, 100000, 3);
}

static void bad_pointers(struct user *user) {
    fpz4_result result;
    fpz4_region_token region;
    fpz4_rendezvous_token token;
    void *address, *nowhere = (void *)64;
    char *page;
    fpz4_segment *list;
    fpz4_segment in = segment(user->in_region, user->in, 100), out = segment(user->out_region, user->out, 200);
    WRONG(fpz4rzv(NULL, 1, &token), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4rzv((const char *)nowhere, 1, &token), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4rzv(directory, 1, NULL), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4rzv(directory, 1, (fpz4_rendezvous_token *)nowhere), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4rzv(directory, 1, (fpz4_rendezvous_token *)(uintptr_t)"read only, and long enough"), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4prb((fpz4_rendezvous_token *)nowhere), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4rmr(&user->token, 4096, (void **)nowhere, &region), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4rmr(&user->token, 4096, &address, (fpz4_region_token *)nowhere), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4dmr(&user->token, (fpz4_region_token *)nowhere), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4abc(&user->token, 0, (fpz4_segment *)nowhere, 1, &out, 1, &result), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4abc(&user->token, 0, &in, 1, (fpz4_segment *)nowhere, 1, &result), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4abc(&user->token, 0, &in, 1, &out, 1, (fpz4_result *)nowhere), FPZ4_RSN_BAD_POINTER);
    WRONG(fpz4urz((fpz4_rendezvous_token *)nowhere), FPZ4_RSN_BAD_POINTER);
    /* A list of two whose second entry is behind the storage. */
    page = (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != (char *)MAP_FAILED && mprotect(page + 4096, 4096, PROT_NONE) == 0);
    memcpy(page + 4096 - sizeof in, &in, sizeof in);
    list = (fpz4_segment *)(void *)(page + 4096 - sizeof in);
    DONE(fpz4abc(&user->token, FPZ4_INPUT_LIST, list, 1, &out, 1, &result));
    WRONG(fpz4abc(&user->token, FPZ4_INPUT_LIST, list, 2, &out, 1, &result), FPZ4_RSN_BAD_POINTER);
    /* A name of a directory that ends nowhere. */
    memset(page, '/', 4096);
    WRONG(fpz4rzv(page + 4000, 1, &token), FPZ4_RSN_BAD_POINTER);
    CHECK(munmap(page, 8192) == 0);
}

static void tokens(struct user *user) {
    fpz4_rendezvous_token token;
    fpz4_region_token region, regions[300];
    void *address;
    unsigned count;
    memset(&token, 0xEE, sizeof token);
    memset(&region, 0xEE, sizeof region);
    WRONG(fpz4prb(&token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
    WRONG(fpz4rmr(&token, 4096, &address, &region), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
    CHECK(address == NULL);
    WRONG(fpz4dmr(&token, &region), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
    WRONG(fpz4urz(&token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
    WRONG(fpz4dmr(&user->token, &region), FPZ4_RSN_BAD_REGION_TOKEN);
    WRONG(fpz4rzv(directory, 2, &token), FPZ4_RSN_BAD_APPLICATION_ID);
    EXPECT(fpz4rzv("/no/such/directory", 1, &token), FPZ4_RC_ENVIRONMENT, FPZ4_RSN_NO_HARDWARE);
    EXPECT(fpz4rzv("", 1, &token), FPZ4_RC_ENVIRONMENT, FPZ4_RSN_NO_HARDWARE);
    WRONG(fpz4rmr(&user->token, 0, &address, &region), FPZ4_RSN_BAD_REGION_LENGTH);
    WRONG(fpz4rmr(&user->token, 4095, &address, &region), FPZ4_RSN_BAD_REGION_LENGTH);
    WRONG(fpz4rmr(&user->token, (size_t)1 << 40, &address, &region), FPZ4_RSN_BAD_REGION_LENGTH);
    WRONG(fpz4rmr(&user->token, (size_t)0 - 4096, &address, &region), FPZ4_RSN_BAD_REGION_LENGTH);
    for (count = 0; fpz4rmr(&user->token, 4096, &address, &regions[count]).return_code == 0; count++)
        CHECK(count < 299);
    CHECK(count == 254);
    WRONG(fpz4rmr(&user->token, 4096, &address, &region), FPZ4_RSN_TOO_MANY_REGIONS);
    while (count-- != 0)
        DONE(fpz4dmr(&user->token, &regions[count]));
    WRONG(fpz4dmr(&user->token, &regions[0]), FPZ4_RSN_BAD_REGION_TOKEN);
}

static void *own_rendezvous(void *seed) {
    struct user user;
    unsigned turn;
    begin(&user);
    for (turn = 0; turn < 10; turn++)
        round_trip(&user, 20000 + 1000 * turn, *(unsigned *)seed + turn);
    DONE(fpz4urz(&user.token));
    return NULL;
}

/* Thread with regions of its own, in a rendezvous of all. */
static void *shared_rendezvous(void *shared) {
    struct user user;
    void *in, *out;
    unsigned turn;
    user.token = ((struct user *)shared)->token;
    DONE(fpz4rmr(&user.token, 131072, &in, &user.in_region));
    DONE(fpz4rmr(&user.token, 131072, &out, &user.out_region));
    user.in = (unsigned char *)in;
    user.out = (unsigned char *)out;
    for (turn = 0; turn < 20; turn++)
        round_trip(&user, 3000 * turn, turn);
    DONE(fpz4dmr(&user.token, &user.in_region));
    DONE(fpz4dmr(&user.token, &user.out_region));
    return NULL;
}

static void threads(struct user *user) {
    pthread_t running[12];
    static unsigned seeds[4];
    unsigned at;
    for (at = 0; at < 12; at++) {
        if (at < 4)
            seeds[at] = at;
        CHECK(pthread_create(&running[at], NULL, at < 4 ? own_rendezvous : shared_rendezvous,
                             at < 4 ? (void *)&seeds[at] : (void *)user) == 0);
    }
    for (at = 0; at < 12; at++)
        pthread_join(running[at], NULL);
}

/* A child has no rendezvous, and that of its parent goes on; so do threads that had locks when it was forked. */
static void child(struct user *user) {
    pthread_t running;
    int turn, status;
    CHECK(pthread_create(&running, NULL, shared_rendezvous, user) == 0);
    for (turn = 0; turn < 10; turn++) {
        pid_t forked;
        fflush(stdout);
        forked = fork();
        CHECK(forked >= 0);
        if (forked == 0) {
            struct user own;
            alarm(60);
            WRONG(fpz4prb(&user->token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
            begin(&own);
            CHECK(memcmp(&own.token, &user->token, sizeof own.token) != 0);
            WRONG(fpz4prb(&user->token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
            round_trip(&own, 50000, 7);
            WRONG(fpz4urz(&user->token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
            if (turn % 2 == 0)
                DONE(fpz4urz(&own.token));
            fflush(stdout);
            _exit(0);
        }
        CHECK(waitpid(forked, &status, 0) == forked && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        round_trip(user, 60000, 8);
    }
    pthread_join(running, NULL);
}

static void whole(void) {
    static const size_t sizes[] = {0, 1, 100, 4096, 32768, 32769, 300000, MIB};
    struct user user, other;
    size_t at;
    begin(&user);
    begin(&other);
    CHECK(memcmp(&user.token, &other.token, sizeof user.token) != 0);
    for (at = 0; at < sizeof sizes / sizeof sizes[0]; at++)
        round_trip(&user, sizes[at], (unsigned)at);
    lists(&user);
    bad_requests(&user, &other);
    tokens(&user);
    threads(&user);
    child(&user);
    bad_pointers(&user);
    DONE(fpz4urz(&user.token));
    WRONG(fpz4prb(&user.token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
    WRONG(fpz4urz(&user.token), FPZ4_RSN_BAD_RENDEZVOUS_TOKEN);
    round_trip(&other, 1000, 1);
    DONE(fpz4urz(&other.token));
}

static void *long_request(void *user) {
    static fpz4_codes codes[2];
    static int at;
    fpz4_result result;
    fpz4_codes *own = &codes[at++];
    *own = request((struct user *)user, 0, MIB, FPZ4_OUTPUT_BYTES_MAX, &result);
    return own;
}

/* Regions and rendezvous that end while a request is under way. */
static void ends(void) {
    struct user user;
    pthread_t running;
    void *codes;
    begin(&user);
    CHECK(pthread_create(&running, NULL, long_request, &user) == 0);
    usleep(200000);
    DONE(fpz4dmr(&user.token, &user.out_region));
    pthread_join(running, &codes);
    WRONG(*(fpz4_codes *)codes, FPZ4_RSN_REGION_FREED);
    DONE(fpz4urz(&user.token));
    begin(&user);
    CHECK(pthread_create(&running, NULL, long_request, &user) == 0);
    usleep(200000);
    DONE(fpz4urz(&user.token));
    pthread_join(running, &codes);
    WRONG(*(fpz4_codes *)codes, FPZ4_RSN_ENDED);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int has_been_full;

static int is_over(int now) {
    int over;
    pthread_mutex_lock(&lock);
    has_been_full |= now;
    over = has_been_full;
    pthread_mutex_unlock(&lock);
    return over;
}

static void *short_requests(void *shared) {
    const struct user *user = (const struct user *)shared;
    static unsigned slots;
    unsigned slot = __sync_fetch_and_add(&slots, 1);
    fpz4_segment in = segment(user->in_region, user->in, 4096), out;
    fpz4_result result;
    out = segment(user->out_region, user->out + (size_t)slot * 8192, 8192);
    while (!is_over(0)) {
        fpz4_codes codes = fpz4abc(&user->token, 0, &in, 1, &out, 1, &result);
        if (codes.return_code == FPZ4_RC_WARNING) {
            EXPECT(codes, FPZ4_RC_WARNING, FPZ4_RSN_QUEUES_FULL);
            is_over(1);
        } else {
            DONE(codes);
        }
    }
    return NULL;
}

/* More requests than queues take. */
static void full(void) {
    pthread_t running[128];
    struct user user;
    unsigned at;
    begin(&user);
    for (at = 0; at < 128; at++)
        CHECK(pthread_create(&running[at], NULL, short_requests, &user) == 0);
    for (at = 0; at < 128; at++)
        pthread_join(running[at], NULL);
    DONE(fpz4urz(&user.token));
}

/* A card that is lost under a request, and no other one. */
static void lost(void) {
    struct user user;
    fpz4_result result;
    begin(&user);
    puts("begun");
    fflush(stdout);
    EXPECT(request(&user, 0, MIB, FPZ4_OUTPUT_BYTES_MAX, &result), FPZ4_RC_ENVIRONMENT, FPZ4_RSN_NO_HARDWARE);
    EXPECT(fpz4prb(&user.token), FPZ4_RC_ENVIRONMENT, FPZ4_RSN_NO_HARDWARE);
    EXPECT(request(&user, 0, 100, 200, &result), FPZ4_RC_ENVIRONMENT, FPZ4_RSN_NO_HARDWARE);
    DONE(fpz4urz(&user.token));
}

static void stranger(void) {
    fpz4_rendezvous_token token;
    WRONG(fpz4rzv(directory, 1, &token), FPZ4_RSN_WRONG_ENVIRONMENT);
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*part)(void);
    } parts[] = {{"whole", whole}, {"ends", ends}, {"full", full}, {"lost", lost}, {"stranger", stranger}};
    size_t at;
    CHECK(count == 3);
    directory = arguments[1];
    for (at = 0; at < sizeof parts / sizeof parts[0]; at++) {
        if (strcmp(parts[at].name, arguments[2]) == 0) {
            parts[at].part();
            puts("passed");
            return 0;
        }
    }
    return 2;
}
