import LatchkeyCore
import LatchkeyTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The fake identity server` {
    @Test func `refuses what every transport refuses`() async {
        let violations = await TransportConformance { _, _ in FakeIdentityServer() }.confinementViolations()

        #expect(violations == [])
    }
}
