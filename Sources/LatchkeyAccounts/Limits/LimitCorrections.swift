import LatchkeyModel
package import LatchkeyServerKit

/// Corrects stored times that are later than they can be, because the clock was set back.
///
/// A rejected request's transaction is usually rolled back, so the corrections are stored afterwards in a
/// separate transaction. Without them, a wait would start again with each request, and end only when the
/// clock has caught up.
package final class LimitCorrections: Sendable {
    private let database: any Database
    private let last = Locked<Task<Void, Never>?>(nil)

    /// Creates an instance that stores corrections in the given database, one request at a time.
    package init(_ database: any Database) {
        self.database = database
    }

    /// Stores corrections asynchronously, in the order of the calls.
    ///
    /// A bucket that another request has changed in the meantime isn't corrected, because that request has
    /// read and written the corrected times.
    func store(_ corrections: [LimitSnapshot.Correction]) {
        guard !corrections.isEmpty else { return }
        last.withLock { last in
            last = Task { [database, previous = last] in
                await previous?.value
                try? await database.transaction { transaction in
                    for correction in corrections {
                        _ = try LimitRepository.replace(
                            correction.old,
                            by: correction.new,
                            in: correction.bucket,
                            until: correction.expiry,
                            in: transaction
                        )
                    }
                }
            }
        }
    }

    /// Waits until all corrections so far have been stored or have failed.
    ///
    /// Call this before closing the database.
    package func finish() async {
        await last.withLock { $0 }?.value
    }
}
