package import LatchkeyCrypto
package import LatchkeyModel

/// Issues certificates on a thread of its own: a request costs half a millisecond, most of it in two signatures.
package final class CertificateIssuer: Sendable {
    /// What a certificate is issued for.
    package struct Order: Sendable {
        /// The request as it came, in PEM.
        package var request: String
        package var identity: Identifier
        package var device: Identifier
        package var notBefore: Timestamp
        package var notAfter: Timestamp

        package init(
            request: String,
            identity: Identifier,
            device: Identifier,
            notBefore: Timestamp,
            notAfter: Timestamp
        ) {
            self.request = request
            self.identity = identity
            self.device = device
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    private let authority: CertificateAuthority
    private let random: any RandomSource
    private let queue: WorkQueue<@Sendable () -> Void>
    private let thread: WorkThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - authority: Who signs.
    ///   - random: Where serial numbers come from.
    ///   - queue: How many orders may wait; beyond it they are refused.
    /// - Throws: When the operating system refuses the thread.
    package init(
        authority: CertificateAuthority,
        random: any RandomSource,
        queue: Int = 256
    ) throws(WorkThread.Refused) {
        self.authority = authority
        self.random = random
        let orders = WorkQueue<@Sendable () -> Void>(capacity: queue)
        self.queue = orders
        thread = try WorkThread {
            while true {
                let taken = orders.take(atMost: 1)
                guard !taken.isEmpty else { return }
                for order in taken { order() }
            }
        }
    }

    deinit {
        queue.close()
    }

    /// Those above what is issued, nearest first.
    package var chain: [Certificate] { [authority.certificate] }

    /// Checks a request and certifies its key.
    ///
    /// - Throws: `CryptoError` for a request that is not accepted, ``WorkQueue/Refusal`` when too many wait.
    package func issue(_ order: Order) async throws -> Certificate {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try queue.append { [authority, random] in
                    continuation.resume(
                        with: Result { try Self.certificate(for: order, by: authority, random: random) }
                    )
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Issues what was ordered and ends the thread.
    package func shutDown() async {
        queue.close()
        await thread.ended()
    }

    private static func certificate(
        for order: Order,
        by authority: CertificateAuthority,
        random: some RandomSource
    ) throws(CryptoError) -> Certificate {
        try authority.issue(
            CertificateSigningRequest(pem: order.request).verified(),
            identity: order.identity,
            device: order.device,
            notBefore: order.notBefore,
            notAfter: order.notAfter,
            random: random
        )
    }
}
