/* gzprintf, whose variable number of arguments Rust cannot take. */

#include <stdarg.h>

int gzvprintf(void *file, const char *format, va_list arguments);

int halftrack_gzprintf(void *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = gzvprintf(file, format, arguments);
    va_end(arguments);
    return written;
}
