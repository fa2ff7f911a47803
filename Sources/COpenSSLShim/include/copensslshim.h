#pragma once

/* This header declares no functions: linking the module is sufficient. See shim.c. */
