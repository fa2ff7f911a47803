package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Issues certificates on a separate thread.
///
/// Issuing a certificate takes half a millisecond, most of which is spent on two signatures. Certificates are
/// issued one at a time, in the order of the requests. The issuer itself doesn't store certificates or audit
/// events.
package final class CertificateIssuer: Sendable {
    /// The contents of a certificate to issue.
    package struct Order: Sendable {
        /// The certificate signing request as PEM.
        ///
        /// The signature of the request hasn't been verified yet.
        package var request: String
        /// The identity that owns the session.
        package var identity: Identifier
        /// The device that the session belongs to.
        package var device: Identifier
        /// The start of the validity period.
        package var notBefore: Timestamp
        /// The end of the validity period.
        package var notAfter: Timestamp

        /// Creates an order.
        ///
        /// The signing request isn't verified until ``CertificateIssuer/issue(_:)`` is called.
        ///
        /// - Parameters:
        ///   - request: The certificate signing request as PEM.
        ///   - identity: The identity that owns the session. The certificate's subject contains the
        ///     identity's id.
        ///   - device: The session's device. The device's id is added as a subject alternative name.
        ///   - notBefore: The start of the validity period.
        ///   - notAfter: The end of the validity period. If the authority's own certificate expires before
        ///     this date, the issued certificate expires on the same date as the authority's.
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
    /// Orders that are waiting to be processed.
    ///
    /// Each closure resumes the task that is waiting for the certificate.
    private let queue: WorkQueue<@Sendable () -> Void>
    private let thread: WorkThread

    /// Creates an issuer and starts its thread.
    ///
    /// - Parameters:
    ///   - authority: The certificate authority that signs the certificates.
    ///   - random: The random source for serial numbers.
    ///   - queue: The maximum number of waiting orders. When the queue is full, new orders are rejected.
    /// - Throws: ``WorkThread/Refused`` if the operating system can't create the thread.
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

    /// The issuer certificates that a client sends along with its own certificate, starting with the direct
    /// issuer.
    ///
    /// Currently, the chain only contains the authority's certificate.
    package var chain: [Certificate] { [authority.certificate] }

    /// Verifies a certificate signing request and issues a certificate for its key.
    ///
    /// The calling thread isn't blocked. The certificate is issued even if the calling task is cancelled in
    /// the meantime.
    ///
    /// - Parameter order: The signing request and the contents of the certificate.
    /// - Returns: The signed certificate.
    /// - Throws: `CryptoError` if the request is invalid or signing fails. ``WorkQueue/Refusal`` if the queue
    ///   is full.
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

    /// Processes the orders that are still waiting, then stops the thread.
    ///
    /// Pending calls to ``issue(_:)`` return their certificates, and new calls are rejected. This method
    /// returns when the thread has stopped.
    package func shutDown() async {
        queue.close()
        await thread.ended()
    }

    /// Verifies a signing request and signs the certificate.
    ///
    /// This method runs on the issuer's thread.
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
