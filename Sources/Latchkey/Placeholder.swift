// Module Latchkey.
