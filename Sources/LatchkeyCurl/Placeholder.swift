// Module LatchkeyCurl.
