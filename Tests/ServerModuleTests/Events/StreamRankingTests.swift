import LatchkeyModel
import TestProcesses
import Testing

@testable import LatchkeyAccounts

@Suite struct `Ranking of accounts by their streams` {
    /// The streams of a few accounts, without an order.
    private struct Reference {
        var owners: [UInt64: Identifier] = [:]

        func displaced(by opener: Identifier) -> UInt64? {
            func count(_ identity: Identifier) -> Int {
                owners.values.count { $0 == identity } + (identity == opener ? 1 : 0)
            }
            let most = owners.values.map(count).max() ?? 0
            return owners.filter { count($0.value) == most }.map(\.key).min()
        }
    }

    @Test(arguments: 1...20)
    func `The oldest stream of the accounts with the most streams is displaced`(seed: UInt64) {
        var random = SeededDice(seed: seed)
        let accounts = (1...7).map { Identifier(high: 0, low: $0) }
        var (ranking, reference) = (StreamRanking(), Reference())
        for number in UInt64(1)...300 {
            let opener = accounts[Int.random(in: 0..<accounts.count, using: &random)]
            #expect(ranking.displaced(by: opener) == reference.displaced(by: opener))
            if Bool.random(using: &random), let old = reference.displaced(by: opener) {
                ranking.remove(old, of: reference.owners.removeValue(forKey: old) ?? opener)
            } else if Bool.random(using: &random),
                let old = reference.owners.keys.randomElement(using: &random)
            {
                ranking.remove(old, of: reference.owners.removeValue(forKey: old) ?? opener)
            }
            ranking.add(number, of: opener)
            reference.owners[number] = opener
            #expect(ranking.count(of: opener) == reference.owners.values.count { $0 == opener })
        }
    }

    /// A scan of all accounts for each stream would take minutes.
    @Test(.timeLimit(.minutes(1)))
    func `Fifty thousand accounts can displace each other's streams`() {
        var ranking = StreamRanking()
        let count = UInt64(50_000)
        for number in 1...count { ranking.add(number, of: Identifier(high: 0, low: number)) }
        for number in 1...UInt64(10_000) {
            let opener = Identifier(high: 1, low: number)
            #expect(ranking.displaced(by: opener) == number)
            ranking.remove(number, of: Identifier(high: 0, low: number))
            ranking.add(count + number, of: opener)
        }
    }
}
