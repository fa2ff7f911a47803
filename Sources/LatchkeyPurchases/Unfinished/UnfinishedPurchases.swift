import LatchkeyWire

/// The unfinished purchases that this device stores for the user who is logged in.
///
/// The server has the same transactions. In addition, this device stores the orders whose outcome it does not
/// know, and it can deliver transactions while it is offline.
struct UnfinishedPurchases: Equatable, Sendable {
    /// The version of the format.
    static let version = 1

    /// The maximum number of orders whose outcome is unknown.
    static let orderLimit = 16

    /// The maximum number of unfinished transactions that are stored on this device.
    ///
    /// The same limit applies to the identifiers of finished transactions. Additional transactions are only
    /// stored on the server.
    static let transactionLimit = 40

    private struct Unreadable: Equatable {
        var orders: [JSONValue] = []
        var transactions: [JSONValue] = []
        var finished: [JSONValue] = []

        var isEmpty: Bool { orders.isEmpty && transactions.isEmpty && finished.isEmpty }

        /// Removes a transaction, whose identifier may be readable even if the rest is not.
        mutating func removeTransaction(_ id: StoreTransaction.ID) {
            transactions.removeAll { $0["id"]?.text == id }
        }
    }

    /// The orders whose outcome is unknown, oldest first.
    private(set) var orders: [PurchaseOrder] = []
    /// The transactions that the app has not finished, oldest first.
    private(set) var transactions: [StoreTransaction] = []
    /// The transactions that the app has finished but that the server has not yet confirmed as finished,
    /// oldest first.
    private(set) var finished: [StoreTransaction.ID] = []
    /// The stored elements that this version of the app can't read.
    ///
    /// They are kept for a version that can, until they are finished.
    private var unreadable = Unreadable()

    /// Whether there are no unfinished orders or transactions.
    var isEmpty: Bool {
        orders.isEmpty && transactions.isEmpty && finished.isEmpty && unreadable.isEmpty
    }

    /// The identifiers of all stored transactions, including those of transactions that can't be read.
    var transactionIDs: Set<StoreTransaction.ID> {
        Set(transactions.map(\.id) + unreadable.transactions.compactMap { $0["id"]?.text })
    }

    /// Adds an order before it is sent.
    ///
    /// Adding an order that is already stored has no effect.
    ///
    /// - Returns: `false` if too many orders are stored.
    mutating func add(_ order: PurchaseOrder) -> Bool {
        guard !orders.contains(where: { $0.key == order.key }) else { return true }
        guard orders.count < Self.orderLimit else { return false }
        orders.append(order)
        return true
    }

    /// Removes an order that the server has rejected.
    mutating func removeOrder(_ key: String) {
        orders.removeAll { $0.key == key }
        unreadable.orders.removeAll { $0["key"]?.text == key }
    }

    /// Replaces an order with its transaction.
    mutating func complete(
        _ key: String,
        with transaction: StoreTransaction,
        except finishedByApp: Set<StoreTransaction.ID> = []
    ) {
        removeOrder(key)
        update([transaction], except: finishedByApp)
    }

    /// Adds or updates transactions, and removes those that are finished.
    ///
    /// - Parameters:
    ///   - changed: The transactions, as the server returned them.
    ///   - finishedByApp: The transactions that the app has finished in the meantime, even if the server has
    ///     already confirmed that.
    mutating func update(_ changed: [StoreTransaction], except finishedByApp: Set<StoreTransaction.ID> = []) {
        for transaction in changed {
            unreadable.removeTransaction(transaction.id)
            guard transaction.finishedAt == nil, !finished.contains(transaction.id),
                !finishedByApp.contains(transaction.id)
            else {
                transactions.removeAll { $0.id == transaction.id }
                continue
            }
            if let index = transactions.firstIndex(where: { $0.id == transaction.id }) {
                transactions[index] = transaction
            } else if transactions.count < Self.transactionLimit {
                transactions.append(transaction)
            }
        }
    }

    /// Replaces the stored transactions with the server's list of unfinished ones.
    ///
    /// - Parameters:
    ///   - list: The unfinished transactions that the server returned, oldest first.
    ///   - known: The identifiers of the transactions that were stored when the list was requested, except those
    ///     that are in the list but can't be read. A known transaction that is missing from the list was finished
    ///     elsewhere.
    ///   - finishedByApp: The transactions that the app has finished in the meantime, even if the server has
    ///     already confirmed that.
    mutating func replace(
        with list: [StoreTransaction],
        of known: Set<StoreTransaction.ID>,
        except finishedByApp: Set<StoreTransaction.ID> = []
    ) {
        let listed = Set(list.map(\.id))
        let newer = transactions.filter { !listed.contains($0.id) && !known.contains($0.id) }
        transactions = []
        for id in known.subtracting(listed) { unreadable.removeTransaction(id) }
        update(list + newer, except: finishedByApp)
    }

    /// Records that the app has finished a transaction.
    mutating func finish(_ id: StoreTransaction.ID) {
        transactions.removeAll { $0.id == id }
        unreadable.removeTransaction(id)
        guard !finished.contains(id) else { return }
        finished.append(id)
        if finished.count > Self.transactionLimit { finished.removeFirst() }
    }

    /// Forgets a finished transaction because the server has either confirmed or rejected it.
    mutating func forgetFinished(_ id: StoreTransaction.ID) {
        finished.removeAll { $0 == id }
    }
}

extension UnfinishedPurchases {
    /// The reason stored purchases could not be decoded.
    enum DecodingFailure: Error, Equatable {
        /// The data was written by a newer version of the app.
        case newer
        /// The data is damaged.
        case damaged
    }

    /// Decodes purchases that were stored on this device.
    init(decoding bytes: [UInt8]) throws(DecodingFailure) {
        guard let version = try? JSONCoding.decode(StoredVersion.self, from: bytes).version else {
            throw .damaged
        }
        guard version <= Self.version else { throw .newer }
        guard let stored = try? JSONCoding.decode(StoredPurchases.self, from: bytes) else { throw .damaged }
        orders = stored.orders.compactMap(\.element)
        transactions = stored.transactions.compactMap(\.element?.transaction)
        finished = stored.finished.compactMap(\.element)
        unreadable = Unreadable(
            orders: stored.orders.compactMap(\.unreadableJSON),
            transactions: stored.transactions.compactMap(\.unreadableJSON),
            finished: stored.finished.compactMap(\.unreadableJSON)
        )
    }

    /// The encoded purchases, or `nil` if there are no unfinished purchases.
    var encoded: [UInt8]? {
        get throws {
            guard !isEmpty else { return nil }
            return try JSONCoding.encode(
                StoredPurchases(
                    version: Self.version,
                    orders: orders.map { .readable($0) } + unreadable.orders.map { .unreadable($0) },
                    transactions: transactions.map { .readable(StoredTransaction(transaction: $0)) }
                        + unreadable.transactions.map { .unreadable($0) },
                    finished: finished.map { .readable($0) } + unreadable.finished.map { .unreadable($0) }
                )
            )
        }
    }
}

private struct StoredVersion: Decodable {
    var version: Int
}

private struct StoredPurchases: Codable {
    var version: Int
    var orders: [Listed<PurchaseOrder>]
    var transactions: [Listed<StoredTransaction>]
    var finished: [Listed<StoreTransaction.ID>]
}

/// A transaction in the format of the server's responses.
private struct StoredTransaction: Codable, Sendable {
    var transaction: StoreTransaction

    init(transaction: StoreTransaction) {
        self.transaction = transaction
    }

    init(from decoder: any Decoder) throws {
        guard let transaction = StoreTransaction(try TransactionBody(from: decoder)) else {
            throw DecodingError.unreadable(at: decoder)
        }
        self.transaction = transaction
    }

    func encode(to encoder: any Encoder) throws {
        try transaction.body.encode(to: encoder)
    }
}

extension DecodingError {
    /// An error for a value that only a newer version can read.
    static func unreadable(at decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            Context(codingPath: decoder.codingPath, debugDescription: "This version can't read the value.")
        )
    }
}
