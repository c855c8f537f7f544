/* Formatted output to a descriptor, whose variable number of arguments Rust cannot take. */

#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes all of a formatted text by `write`, which is that of this library. */
static int write_all(int fd, const char *format, va_list arguments) {
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  for (int sent = 0; length >= 0 && sent < length;) {
    ssize_t part = write(fd, text + sent, (size_t)(length - sent));
    if (part < 0) length = -1;
    else sent += (int)part;
  }
  free(text);
  return length;
}

int halftrack_smc_vdprintf(int fd, const char *format, va_list arguments) { return write_all(fd, format, arguments); }

int halftrack_smc_vdprintf_chk(int fd, int flag, const char *format, va_list arguments) {
  (void)flag;
  return write_all(fd, format, arguments);
}

int halftrack_smc_dprintf(int fd, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = write_all(fd, format, arguments);
  va_end(arguments);
  return result;
}

int halftrack_smc_dprintf_chk(int fd, int flag, const char *format, ...) {
  (void)flag;
  va_list arguments;
  va_start(arguments, format);
  int result = write_all(fd, format, arguments);
  va_end(arguments);
  return result;
}
