// Module LatchkeyServer.
