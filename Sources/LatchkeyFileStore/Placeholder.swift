// Module LatchkeyFileStore.
