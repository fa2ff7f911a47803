// Module LatchkeyCrypto.
