import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommand

@Suite struct `Interruption handler` {
    @Test func `calls a clean-up again for a signal that arrives while it runs`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let interruption = Interruption()
            let calls = Locked(0)
            interruption.withCleanup {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                guard call == 1 else { _exit(7) }
                // The signal is blocked, and pending for this thread until it is received.
                raise(SIGTERM)
                interruption.receiveSignals()
            } perform: {
            }
        }
    }
}
