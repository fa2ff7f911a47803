import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyTestKit
import Testing

@Suite struct `Flow ids` {
    private let now = Timestamp(microseconds: 1_772_352_000_123_000)
    private let identifiers = FlowIdentifier(
        secrets: ServerSecrets(signing: [UInt8](repeating: 1, count: 32))
    )

    @Test(arguments: FlowKind.entrances) func `A flow id contains the time at which it was issued`(
        _ kind: FlowKind
    ) {
        for seed in 0..<100 as Range<UInt64> {
            let id = identifiers.issue(kind, at: now, random: SeededRandom(seed: seed))
            #expect(identifiers.issuedAt(id, as: kind) == now)
        }
    }

    @Test func `A flow id is a version 4 UUID`() {
        let text = identifiers.issue(.login, at: now, random: SeededRandom()).description
        #expect(Array(text.utf8)[14] == UInt8(ascii: "4"))
        #expect("89ab".utf8.contains(Array(text.utf8)[19]))
    }

    @Test func `A flow id is rejected for other kinds of flow`() {
        let id = identifiers.issue(.login, at: now, random: SeededRandom())
        #expect(identifiers.issuedAt(id, as: .registration) == nil)
    }

    @Test func `A flow id is rejected if any bit has been changed`() {
        let id = identifiers.issue(.login, at: now, random: SeededRandom())
        for bit in 0..<64 {
            let flips = [
                Identifier(high: id.high ^ 1 << bit, low: id.low),
                Identifier(high: id.high, low: id.low ^ 1 << bit),
            ]
            for flipped in flips { #expect(identifiers.issuedAt(flipped, as: .login) == nil) }
        }
    }

    @Test func `A flow id stays valid when a new signing secret is added`() {
        let id = identifiers.issue(.login, at: now, random: SeededRandom())
        let older = [UInt8](repeating: 1, count: 32)
        for byte in 2..<40 as Range<UInt8> {
            let fresh = [UInt8](repeating: byte, count: 32)
            let rotated = FlowIdentifier(secrets: ServerSecrets(signing: fresh, older: [older]))
            #expect(rotated.issuedAt(id, as: .login) == now)
            let foreign = FlowIdentifier(secrets: ServerSecrets(signing: fresh))
            #expect(foreign.issuedAt(id, as: .login) == nil)
        }
    }

    // MARK: Browsers

    private func issue(to browser: CSRFSecret, seed: UInt64 = 1) -> Identifier {
        identifiers.issue(
            .login,
            type: .browser,
            boundTo: browser,
            at: now,
            random: SeededRandom(seed: seed)
        )
    }

    @Test func `The id of a browser's flow is bound to the browser`() {
        let (browser, other) = (CSRFSecret(random: SystemRandom()), CSRFSecret(random: SystemRandom()))
        for seed in 0..<200 as Range<UInt64> {
            let id = issue(to: browser, seed: seed)
            #expect(identifiers.issuedAt(id, as: .login, type: .browser) == now)
            #expect(identifiers.issuedAt(id, as: .login) == nil)
            #expect(identifiers.isBound(id, to: browser))
            #expect(!identifiers.isBound(id, to: other))
        }
        #expect(Set((0..<200).map { issue(to: browser, seed: $0) }).count > 190)
        #expect(issue(to: browser) != issue(to: other))
    }

    @Test func `The binding of an id can't be changed`() {
        let browser = CSRFSecret(random: SystemRandom())
        let id = issue(to: browser)
        for bit in 0..<64 {
            for flipped in [
                Identifier(high: id.high ^ 1 << bit, low: id.low),
                Identifier(high: id.high, low: id.low ^ 1 << bit),
            ] {
                #expect(identifiers.issuedAt(flipped, as: .login, type: .browser) == nil)
            }
        }
        let native = identifiers.issue(.login, at: now, random: SeededRandom())
        #expect(!identifiers.isBound(native, to: browser))
    }

    @Test func `A flow stays bound to its browser when a new signing secret is added`() {
        let browser = CSRFSecret(random: SystemRandom())
        let id = issue(to: browser)
        let older = [UInt8](repeating: 1, count: 32)
        for byte in 2..<40 as Range<UInt8> {
            let fresh = [UInt8](repeating: byte, count: 32)
            let rotated = FlowIdentifier(secrets: ServerSecrets(signing: fresh, older: [older]))
            #expect(rotated.isBound(id, to: browser))
            #expect(!FlowIdentifier(secrets: ServerSecrets(signing: fresh)).isBound(id, to: browser))
        }
    }
}
