package import LatchkeyModel
package import LatchkeyServerCore

/// Hands mail to a mail server, over a few connections that are kept open, each on a thread of its own.
///
/// A mail server may take a mail and never get to say so. Then the mail goes again, under the same `Message-ID`: a
/// receiver that cares shows it once.
package final class SMTPDelivery: MessageDelivery {
    private let sender: MailSender
    private let time: any TimeSource
    private let queue: WorkQueue<SMTPErrand>

    /// Creates the delivery and starts its threads; they end with it.
    ///
    /// - Parameters:
    ///   - options: The mail server and how to speak to it.
    ///   - sender: Whom the mail comes from.
    ///   - time: The clock that the mails show.
    /// - Throws: ``SMTPUnavailable`` when libcurl or the system refuses what it needs.
    package init(_ options: SMTPOptions, from sender: MailSender, time: any TimeSource)
        throws(SMTPUnavailable)
    {
        self.sender = sender
        self.time = time
        let queue = WorkQueue<SMTPErrand>(capacity: 1000)
        self.queue = queue
        do {
            for _ in 0..<max(1, options.connections) {
                _ = try WorkThread { SMTPConnection.serve(queue, options) }
            }
        } catch {
            queue.close()
            throw SMTPUnavailable()
        }
    }

    deinit {
        queue.close()
    }

    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        let errand = SMTPErrand(try InternetMessage(message, from: sender, at: time.now))
        do {
            try queue.append(errand)
        } catch {
            throw .failed("Too many mails wait for a connection.")
        }
        let outcome = await withTaskCancellationHandler {
            await errand.outcome.value
        } onCancel: {
            errand.cancel()
        }
        try outcome.get()
    }
}

/// The system has no thread left.
package struct SMTPUnavailable: Error {
    package init() {}
}
