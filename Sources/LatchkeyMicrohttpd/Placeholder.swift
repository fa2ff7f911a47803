// Module LatchkeyMicrohttpd.
