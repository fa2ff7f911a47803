import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite struct `Exponential back-off` {
    private let random = SeededRandom()

    @Test func `Delays double up to a maximum, and up to 25 percent of jitter is added`() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(20))
        #expect(backoff.allows(at: .zero))
        for pause in [1, 2, 4, 8, 16, 20, 20] {
            backoff.fail(at: .zero, random: random)
            #expect(!backoff.allows(at: .seconds(pause) - .microseconds(1)))
            #expect(backoff.allows(at: .seconds(pause) * 5 / 4))
        }
    }

    @Test func `Pauses are randomized`() {
        let lengths = (1...20).map { _ in
            var backoff = Backoff(first: .seconds(100), longest: .seconds(100))
            backoff.fail(at: .zero, random: random)
            return (100...125).first { backoff.allows(at: .seconds($0)) }
        }

        #expect(Set(lengths).count > 5)
    }

    @Test func `The remaining delay decreases as time passes`() {
        var backoff = Backoff(first: .seconds(8), longest: .seconds(30))
        #expect(backoff.remainder(at: .seconds(5)) == .zero)

        backoff.fail(at: .seconds(10), random: random)

        let pause = backoff.remainder(at: .seconds(10))
        #expect(pause >= .seconds(8) && pause <= .seconds(10))
        #expect(backoff.remainder(at: .seconds(13)) == pause - .seconds(3))
        #expect(backoff.remainder(at: .seconds(21)) == .zero)
    }

    @Test func `The pauses start over after a success`() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
        for _ in 1...5 { backoff.fail(at: .zero, random: random) }

        backoff.succeed(at: .zero, random: random)
        #expect(!backoff.allows(at: .seconds(1) - .microseconds(1)))
        #expect(backoff.allows(at: .seconds(1) * 5 / 4))

        backoff.fail(at: .seconds(10), random: random)
        #expect(!backoff.allows(at: .seconds(11) - .microseconds(1)))
        #expect(backoff.allows(at: .seconds(10) + .seconds(1) * 5 / 4))
    }
}
