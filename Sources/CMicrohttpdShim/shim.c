#include "cmicrohttpdshim.h"
