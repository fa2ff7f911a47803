package import LatchkeyCrypto
package import LatchkeyModel
package import LatchkeyServerKit

/// Issues certificates on a separate thread.
///
/// Issuing a certificate takes half a millisecond, mostly for two signatures.
///
/// Orders are executed one at a time, in the order of the calls. The issuer stores neither the certificate
/// nor an audit event.
package final class CertificateIssuer: Sendable {
    /// The contents of a certificate to issue.
    package struct Order: Sendable {
        /// The certificate signing request in PEM, which has not been verified yet.
        package var request: String
        /// The identity that owns the session.
        package var identity: Identifier
        /// The device to which the session belongs.
        package var device: Identifier
        /// The beginning of the validity period.
        package var notBefore: Timestamp
        /// The end of the validity period.
        package var notAfter: Timestamp

        /// Creates an order; the request is verified by ``CertificateIssuer/issue(_:)``.
        ///
        /// - Parameters:
        ///   - request: The certificate signing request in PEM.
        ///   - identity: The identity of the session, which becomes the subject of the certificate.
        ///   - device: The device of the session, which becomes a subject alternative name.
        ///   - notBefore: The beginning of the validity period.
        ///   - notAfter: The end of the validity period, which is limited to that of the authority's
        ///     certificate.
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
    /// The waiting orders, each as a closure that resumes its caller.
    private let queue: WorkQueue<@Sendable () -> Void>
    private let thread: WorkThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - authority: The certificate authority that signs the certificates.
    ///   - random: The random source for serial numbers.
    ///   - queue: The maximum number of waiting orders; further orders are rejected.
    /// - Throws: ``WorkThread/Refused`` if the operating system cannot create the thread.
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

    /// The issuer certificates that a client sends together with its own certificate, nearest issuer first.
    ///
    /// Currently, the list contains only the certificate of the authority.
    package var chain: [Certificate] { [authority.certificate] }

    /// Verifies a certificate signing request and issues a certificate for its key.
    ///
    /// The call does not block the calling thread. The order is completed even if the task is cancelled.
    ///
    /// - Parameter order: The request and the contents of the certificate.
    /// - Returns: The signed certificate.
    /// - Throws: `CryptoError` if the request is invalid or signing fails; ``WorkQueue/Refusal`` if the queue
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

    /// Completes the waiting orders and stops the thread; later orders are rejected.
    ///
    /// The function returns when the thread has ended. Pending calls of ``issue(_:)`` return their
    /// certificates.
    package func shutDown() async {
        queue.close()
        await thread.ended()
    }

    /// Verifies a request and signs its certificate on the issuer's thread.
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
