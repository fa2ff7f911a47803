#pragma once
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>
