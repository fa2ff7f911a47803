package import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit

/// Sends e-mail over a few persistent SMTP connections, each with its own thread.
///
/// If the reply to an accepted message is lost, the message is sent again with the same `Message-ID`, so that
/// recipients can discard the duplicate.
package final class SMTPDelivery: MessageDelivery {
    private let sender: MailSender
    private let time: any TimeSource
    private let queue: WorkQueue<SMTPJob>

    /// Creates the delivery and starts its threads.
    ///
    /// The threads end when the delivery is deallocated.
    ///
    /// Up to 1000 messages can wait for a connection. Any additional messages fail with a temporary error.
    /// Connections are opened when the first messages are sent.
    ///
    /// - Parameters:
    ///   - options: The mail server, its credentials and the timeouts.
    ///   - sender: The sender of all messages.
    ///   - time: The clock used for the `Date` header of each message.
    /// - Throws: ``SMTPUnavailable`` if a thread cannot be started.
    package init(_ options: SMTPOptions, from sender: MailSender, time: any TimeSource)
        throws(SMTPUnavailable)
    {
        self.sender = sender
        self.time = time
        let queue = WorkQueue<SMTPJob>(capacity: 1000)
        self.queue = queue
        do {
            for _ in 0..<max(1, options.connections) {
                _ = try WorkThread { SMTPConnection.serve(queue, options: options) }
            }
        } catch {
            queue.close()
            throw SMTPUnavailable()
        }
    }

    deinit {
        queue.close()
    }

    /// Sends a message as an e-mail.
    ///
    /// The transfer is aborted if the task is cancelled.
    ///
    /// SMTP has no idempotency keys, but the `Message-ID` serves the same purpose. This method throws
    /// `failed` for temporary errors, including a full queue, and `refused` for permanent errors.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        let job = SMTPJob(try InternetMessage(message, from: sender, at: time.now))
        do {
            try queue.append(job)
        } catch {
            throw .failed("Too many e-mails are waiting for a connection.")
        }
        let outcome = await withTaskCancellationHandler {
            await job.outcome.value
        } onCancel: {
            job.cancel()
        }
        try outcome.get()
    }
}

/// Thrown when a delivery cannot start its threads.
package struct SMTPUnavailable: Error {
    /// Creates the error.
    package init() {}
}
