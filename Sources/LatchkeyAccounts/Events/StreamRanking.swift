import LatchkeyModel

/// The accounts with open streams, ordered by the number of their streams.
///
/// At the limit, every new stream displaces another one. A binary heap finds that stream without a scan of
/// all accounts, of which there can be hundreds of thousands.
struct StreamRanking {
    private struct Account {
        /// The numbers of the account's streams, oldest first.
        var streams: [UInt64]
        /// The account's index in the heap.
        var place: Int
    }

    private var accounts: [Identifier: Account] = [:]

    /// A binary heap, in which no account ranks higher than its parent, which has half its index.
    private var heap: [Identifier] = []

    /// The number of streams of an account.
    func count(of identity: Identifier) -> Int { accounts[identity]?.streams.count ?? 0 }

    /// Adds a stream, whose number must be higher than the numbers of all earlier streams.
    mutating func add(_ number: UInt64, of identity: Identifier) {
        if accounts[identity] == nil {
            accounts[identity] = Account(streams: [], place: heap.count)
            heap.append(identity)
        }
        accounts[identity]?.streams.append(number)
        restore(identity)
    }

    /// Removes a stream.
    mutating func remove(_ number: UInt64, of identity: Identifier) {
        guard let account = accounts[identity] else { return }
        guard account.streams != [number] else {
            accounts[identity] = nil
            guard let last = heap.popLast(), last != identity else { return }
            set(last, at: account.place)
            return restore(last)
        }
        accounts[identity]?.streams.removeAll { $0 == number }
        restore(identity)
    }

    /// Returns the stream to close before an account opens another one: the oldest stream of the accounts
    /// with the most streams.
    ///
    /// The new stream counts, so that an account displaces its own streams rather than those of an account
    /// with as many.
    func displaced(by opener: Identifier) -> UInt64? {
        guard let top = heap.first else { return nil }
        let (own, most) = (count(of: opener) + 1, count(of: top))
        guard own >= most else { return oldest(of: top) }
        guard own == most else { return oldest(of: opener) }
        return [oldest(of: opener), oldest(of: top)].compactMap { $0 }.min()
    }

    private func oldest(of identity: Identifier) -> UInt64? { accounts[identity]?.streams.first }

    /// Whether the first account is displaced before the second one.
    private func ranks(_ first: Identifier, above second: Identifier) -> Bool {
        let (count, other) = (count(of: first), count(of: second))
        guard count == other else { return count > other }
        return oldest(of: first) ?? .max < oldest(of: second) ?? .max
    }

    private mutating func set(_ identity: Identifier, at place: Int) {
        heap[place] = identity
        accounts[identity]?.place = place
    }

    /// Moves an account up or down until the heap is ordered again.
    private mutating func restore(_ identity: Identifier) {
        guard var place = accounts[identity]?.place else { return }
        while place > 0, ranks(identity, above: heap[(place - 1) / 2]) {
            set(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        while true {
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
            guard
                let child = children.max(by: { ranks(heap[$1], above: heap[$0]) }),
                ranks(heap[child], above: identity)
            else { break }
            set(heap[child], at: place)
            place = child
        }
        set(identity, at: place)
    }
}
