import Foundation
import Testing

@testable import LatchkeyCommand

@Suite struct `Interruption handler` {
    @Test func `The cleanup is called if a hang-up ends the process`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let interruption = Interruption()
            interruption.onInterruption { _exit(7) }
            // The signal is blocked, so it stays pending for this thread until it is received.
            raise(SIGHUP)
            interruption.receiveSignals()
        }
    }

    @Test func `A hang-up ends the process with its signal`() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            let interruption = Interruption()
            raise(SIGHUP)
            interruption.receiveSignals()
        }
    }

    @Test func `Signals that the process ignored at its start are still ignored`() async {
        await #expect(processExitsWith: .exitCode(130)) {
            signal(SIGHUP, SIG_IGN)
            let interruption = Interruption()
            interruption.onInterruption { signal(SIGHUP, SIG_DFL) }
            raise(SIGHUP)
            raise(SIGTERM)
            interruption.receiveSignals()
        }
    }
}
