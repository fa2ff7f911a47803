#pragma once

/* Nothing to call: linking this is all. See shim.c. */
