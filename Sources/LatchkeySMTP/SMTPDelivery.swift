package import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit

/// A message delivery that sends e-mail over a few persistent SMTP connections, each of which has its own
/// thread.
///
/// If the reply to an accepted message is lost, the message is sent again with the same `Message-ID`, so
/// receivers can discard the duplicate.
package final class SMTPDelivery: MessageDelivery {
    private let sender: MailSender
    private let time: any TimeSource
    private let queue: WorkQueue<SMTPJob>

    /// Creates the delivery and starts its threads, which end when the delivery is deallocated.
    ///
    /// At most 1000 messages can wait for a connection, and further messages fail with a temporary error. No
    /// connection is opened before the first message is sent.
    ///
    /// - Parameters:
    ///   - options: The mail server, its credentials and the timeouts.
    ///   - sender: The sender of all messages.
    ///   - time: The clock that provides the `Date` of each message.
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

    /// Sends a message as an e-mail, and aborts the transfer if the task is cancelled.
    ///
    /// SMTP has no equivalent of the idempotency key, but the `Message-ID` serves the same purpose. The
    /// method throws `failed` for temporary errors, including a full queue, and `refused` for permanent ones.
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

/// The error thrown if a delivery cannot start its threads.
package struct SMTPUnavailable: Error {
    /// Creates the error.
    package init() {}
}
