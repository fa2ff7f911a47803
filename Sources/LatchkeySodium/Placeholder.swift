// Module LatchkeySodium.
