/* Streams of the C library on a connection: opened by fdopen, read and written by lines, and formatted output to the descriptor. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define CHECK(condition) \
  if (!(condition)) { fprintf(stderr, "line %d: %s\n", __LINE__, #condition); exit(1); }

static struct sockaddr_in address;

static void *client(void *unused) {
  (void)unused;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  /* The stream is there before the connection. */
  FILE *stream = fdopen(fd, "r+");
  CHECK(stream && fileno(stream) == fd);
  CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
  char line[64];
  CHECK(fprintf(stream, "request\n") > 0 && fflush(stream) == 0 && fgets(line, sizeof line, stream));
  /* The server waits, and signals interrupt it that it has asked to be no interruption. */
  usleep(200000);
  for (int turn = 0; turn < 1000; turn++) {
    CHECK(fprintf(stream, "request %d\n", turn) > 0 && fflush(stream) == 0);
    CHECK(fgets(line, sizeof line, stream));
    char expected[64];
    snprintf(expected, sizeof expected, "answer to request %d\n", turn);
    CHECK(strcmp(line, expected) == 0);
  }
  CHECK(dprintf(fd, "%s %d\n", "last", 7) == 7);
  CHECK(fclose(stream) == 0);
  return NULL;
}

static void on_alarm(int signal) { (void)signal; }

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval often = {.it_interval = {.tv_usec = 20000}, .it_value = {.tv_usec = 20000}};
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 8) == 0);
  socklen_t length = sizeof address;
  CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, client, NULL) == 0);
  int fd = accept(listener, NULL, NULL);
  FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
  CHECK(in && out);
  char line[64];
  int lines = 0;
  while (fgets(line, sizeof line, in)) {
    lines++;
    if (strncmp(line, "last", 4) == 0) {
      CHECK(strcmp(line, "last 7\n") == 0);
    } else {
      CHECK(fprintf(out, "answer to %s", line) > 0 && fflush(out) == 0);
    }
  }
  CHECK(lines == 1002 && feof(in) && !ferror(in));
  pthread_join(thread, NULL);
  /* The connection was one of SMC-R. */
  char command[64];
  snprintf(command, sizeof command, "ls -l /proc/%d/fd | grep -c memfd:halftrack-smc-end", getpid());
  FILE *found = popen(command, "r");
  CHECK(found && fgets(line, sizeof line, found) && atoi(line) > 0);
  return 0;
}
