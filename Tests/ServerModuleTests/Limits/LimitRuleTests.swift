import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import Testing

@testable import LatchkeyAccounts

@Suite struct `Limit rules` {
    private static let codes = LimitRule.sliding(LimitSettings().codesPerPhone)
    private static let bucket = LimitRule.bucket(Rate(30, per: .seconds(3600)))
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let failures = LimitRules().failuresPerNetwork

    @Test func `Two codes a minute apart are a silent wait, and longer windows are announced`() {
        var settings = LimitSettings()
        let address = ContactAddress(via: .email, value: "ann@example.org")
        let (minute, longer) = (Rate(1, per: .seconds(60)), Rate(5, per: .seconds(61)))
        settings.codesPerPhone = [minute, longer]
        let rules = LimitRules(settings)
        #expect(rules[.codeSpacing(to: address)] == .sliding([minute]))
        #expect(rules[.code(to: address)] == .sliding([longer]))
    }

    @Test func `A block isn't new for thirty days, and the end of waits is remembered as long as failures`() {
        let rules = LimitRules()
        let block = NetworkBlock(of: PeerAddress(host: "192.0.2.1", port: 1))
        #expect(rules[.blockProven(block)].horizon == .seconds(30 * 86_400))
        #expect(rules[.waitsEnded(.unknown(identifier: "ann"))].horizon == Self.failures.horizon)
    }

    @Test(arguments: [
        (codes, [], 0),
        (codes, [0], 30),
        (codes, [29], 1),
        (codes, [30], 0),
        (codes, [31, 62, 93, 124], 0),
        (codes, [31, 62, 93, 124, 155], 3445),
        (codes, [600, 1200, 1800, 2400, 3599], 1),
        (codes, [600, 1200, 1800, 2400, 3600], 0),
        (codes, [4000, 8000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 36_000, 80_000], 6400),
        (codes, [10, 8000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 36_000, 80_000], 6400),
        (.lifted, [0, 0, 0], 0),
        (.sliding([Rate(0, per: .seconds(60))]), [], 60),
        (failures, [], 0),
        (failures, [0, 0, 0, 0], 0),
        (failures, [0, 0, 0, 0, 0], 60),
        (failures, [59, 59, 59, 59, 59], 1),
        (failures, [60, 60, 60, 60, 60], 0),
        (failures, [0, 60, 60, 60, 60, 60], 120),
        (failures, [100, 160, 160, 160, 160, 160], 20),
        (failures, Array(repeating: 0, count: 10), 1920),
        (failures, Array(repeating: 0, count: 11), 3600),
        (failures, Array(repeating: 0, count: 10_000), 3600),
    ])
    func `How long to wait depends on when the previous events happened`(
        rule: LimitRule,
        ages: [Int],
        wait: Int
    ) {
        let times = EventTimestamps(ages.reversed().map { Self.now - .seconds($0) })
        #expect(rule.wait(after: times, at: Self.now) == .seconds(wait))
    }

    @Test(arguments: [(0, 0), (29, 0), (30, 120)])
    func `A bucket allows its count of events at once, and then one per interval`(events: Int, wait: Int) {
        var times = EventTimestamps()
        for _ in 0..<events { times = Self.bucket.counting(Self.now, after: times) }
        #expect(Self.bucket.wait(after: times, at: Self.now) == .seconds(wait))
        #expect(Self.bucket.wait(after: times, at: Self.now + .seconds(wait)) == .zero)
        // After the window, the bucket is full again.
        let later = Self.now + Self.bucket.horizon
        #expect(Self.bucket.current(times, at: later).times.isEmpty)
    }

    @Test func `About 35 wrong passwords a day are allowed on one network`() {
        var times: [Int] = []
        for second in 0..<86_400
        where Self.failures.wait(
            after: EventTimestamps(times.map { Self.now + .seconds($0) }),
            at: Self.now + .seconds(second)
        ) == .zero {
            times.append(second)
            // The first five events happen at the same time.
            if second == 0 { times += [0, 0, 0, 0] }
        }
        #expect((30...35).contains(times.count))
    }

    @Test(arguments: [
        (LimitRule.lifted, true),
        (.sliding([Rate(1, per: .seconds(1))]), false),
        (.growingWaits(free: 1, first: .zero, longest: .zero, memory: .seconds(60)), true),
        (failures, false), (bucket, false),
    ])
    func `A rule counts as unlimited if it never rejects an event`(rule: LimitRule, isLifted: Bool) {
        #expect(rule.isLifted == isLifted)
        #expect(LimitRules(.unlimited).failuresPerNetwork.isLifted)
    }

    @Test func `A larger network is allowed more events in the same period`() {
        let rule = LimitRule.sliding([Rate(2, per: .seconds(60)), Rate(5, per: .seconds(90))])
        let wide = LimitRule.sliding([Rate(8, per: .seconds(60)), Rate(20, per: .seconds(90))])
        #expect(rule.multiplied(by: 4) == wide)
        #expect(Self.failures.multiplied(by: 4) == Self.failures)
        #expect(Self.bucket.multiplied(by: 4) == .bucket(Rate(120, per: .seconds(3600))))
    }
}
