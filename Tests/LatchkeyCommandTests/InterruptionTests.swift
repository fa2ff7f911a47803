import Foundation
import LatchkeyModel
import Testing

@testable import LatchkeyCommand

@Suite struct `Interruption handler` {
    @Test func `The cleanup is called again if a signal arrives while it is running`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let interruption = Interruption()
            let calls = Locked(0)
            interruption.withCleanup {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                guard call == 1 else { _exit(7) }
                // The signal is blocked, so it stays pending for this thread until it is received.
                raise(SIGTERM)
                interruption.receiveSignals()
            } perform: {
            }
        }
    }
}
