import LatchkeyCore
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Fake identity server` {
    @Test func `The fake identity server passes the transport conformance checks`() async {
        let violations = await TransportConformance { _, _ in FakeIdentityServer() }.confinementViolations()

        #expect(violations == [])
    }
}
