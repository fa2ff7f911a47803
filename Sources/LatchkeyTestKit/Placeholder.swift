// Module LatchkeyTestKit.
