import Latchkey

/// The stored record of unfinished purchases.
///
/// The record is deleted when the login ends.
struct PurchaseRecord: Sendable {
    private let client: LatchkeyClient

    init(_ client: LatchkeyClient) {
        self.client = client
    }

    /// Reads the record.
    ///
    /// A damaged record is treated as empty because the server still has the transactions.
    func read() async throws(LatchkeyError) -> UnfinishedPurchases {
        let bytes = try await client.sideRecords.read(.unfinishedPurchases)
        return try Self.decode(bytes).get()
    }

    /// Updates the record.
    ///
    /// - Parameter change: A closure that modifies the purchases. The closure is called again if another
    ///   process has changed the record in the meantime.
    /// - Returns: The value returned by the last call to `change`.
    /// - Throws: ``LatchkeyError``: ``LatchkeyError/Code/signedOut`` if the user is no longer logged in, or a
    ///   storage error.
    @discardableResult
    func update<Value: Sendable>(
        _ change: @escaping @Sendable (inout UnfinishedPurchases) -> Value
    ) async throws(LatchkeyError) -> Value {
        let outcome = try await client.sideRecords.update(.unfinishedPurchases) {
            bytes -> Result<Value, LatchkeyError> in
            Self.decode(bytes).flatMap { purchases in
                var purchases = purchases
                let value = change(&purchases)
                do {
                    bytes = try purchases.encoded
                } catch {
                    return .failure(
                        LatchkeyError(
                            .storageUnavailable,
                            message: "The purchases can't be encoded.",
                            cause: error
                        )
                    )
                }
                return .success(value)
            }
        }
        return try outcome.get()
    }

    private static func decode(_ bytes: [UInt8]?) -> Result<UnfinishedPurchases, LatchkeyError> {
        guard let bytes else { return .success(UnfinishedPurchases()) }
        do throws(UnfinishedPurchases.DecodingFailure) {
            return .success(try UnfinishedPurchases(decoding: bytes))
        } catch {
            switch error {
            case .damaged: return .success(UnfinishedPurchases())
            case .newer:
                return .failure(
                    LatchkeyError(
                        .storageUnavailable,
                        message: """
                            The purchases were saved by a newer version of the app. Update this app to read them.
                            """
                    )
                )
            }
        }
    }
}
