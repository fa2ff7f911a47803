import CCurl
import CCurlShim
import Glibc
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// A connection to the mail server, used by one thread.
///
/// libcurl keeps the connection open between messages.
final class SMTPConnection {
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    private var easy: UnsafeMutableRawPointer
    private let options: SMTPOptions
    /// Whether the server has offered SMTPUTF8 on the connection that is open.
    private var offersSMTPUTF8 = false

    private init?(_ options: SMTPOptions) {
        guard Self.isReady, let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.options = options
    }

    deinit {
        curl_easy_cleanup(easy)
    }

    /// Sends the messages in a queue one after the other, until the queue is closed.
    static func serve(_ queue: WorkQueue<SMTPJob>, options: SMTPOptions) {
        // Signals are handled by other threads. A broken connection (SIGPIPE) must not terminate the process.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let connection = SMTPConnection(options)
        while let job = queue.take(atMost: 1).first {
            let outcome = connection?.send(job) ?? .failure(.failed("libcurl could not be initialized."))
            job.outcome.set(outcome)
        }
    }

    /// Replaces the connection.
    ///
    /// We can't reuse a connection after a timeout, because libcurl might mistake a late reply to one message
    /// for the reply to the next. We shut down the socket first, because libcurl would otherwise send QUIT
    /// and wait up to two minutes for the reply.
    private func renew() {
        let socket = latchkey_curl_get_socket(easy)
        if socket != CURL_SOCKET_BAD { shutdown(socket, Int32(SHUT_RDWR)) }
        guard let fresh = curl_easy_init() else { return }
        curl_easy_cleanup(easy)
        easy = fresh
    }

    /// Sends a message and returns the outcome.
    ///
    /// This method blocks for at most the timeout in the options.
    private func send(_ job: SMTPJob) -> Result<Void, DeliveryError> {
        // This resets the options from the previous message but keeps the connection open.
        curl_easy_reset(easy)
        let transfer = SMTPTransfer(job, offersSMTPUTF8: offersSMTPUTF8)
        return withExtendedLifetime(transfer) {
            guard let recipients = curl_slist_append(nil, "<\(job.mail.recipient.address)>") else {
                return .failure(.failed("libcurl rejected the message."))
            }
            defer { curl_slist_free_all(recipients) }
            guard setUp(transfer, recipients: recipients).allSatisfy({ $0 == CURLE_OK }) else {
                return .failure(.failed("libcurl rejected the message."))
            }
            let outcome = curl_easy_perform(easy)
            let reply = latchkey_curl_get_long(easy, CURLINFO_RESPONSE_CODE)
            offersSMTPUTF8 = transfer.offersSMTPUTF8
            if outcome != CURLE_OK { renew() }
            return transfer.result(of: outcome, reply: reply)
        }
    }

    /// Sets the options for a transfer and returns libcurl's result codes.
    ///
    /// The callbacks hold an unowned reference to the transfer.
    private func setUp(_ transfer: SMTPTransfer, recipients: UnsafeMutablePointer<curl_slist>) -> [CURLcode] {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        let mail = transfer.job.mail
        let security = options.security == .startTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        var outcomes = [
            latchkey_curl_set_string(easy, CURLOPT_URL, options.url),
            latchkey_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            // We ignore proxy settings in the environment, because mail must only be sent to the configured
            // server.
            latchkey_curl_set_string(easy, CURLOPT_PROXY, ""),
            latchkey_curl_set_long(easy, CURLOPT_USE_SSL, Int(security.rawValue)),
            latchkey_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            latchkey_curl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            latchkey_curl_close_sockets_on_exec(easy),
            latchkey_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1),
            // This limit is shorter than the idle timeout of typical mail servers.
            latchkey_curl_set_long(easy, CURLOPT_MAXAGE_CONN, 30),
            latchkey_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.milliseconds),
            latchkey_curl_set_long(easy, CURLOPT_TIMEOUT_MS, options.timeout.milliseconds),
            latchkey_curl_set_string(easy, CURLOPT_MAIL_FROM, "<\(mail.sender.address)>"),
            latchkey_curl_set_pointer(easy, CURLOPT_MAIL_RCPT, recipients),
            latchkey_curl_set_long(easy, CURLOPT_UPLOAD, 1),
            latchkey_curl_set_large(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(mail.bytes.count)),
            latchkey_curl_set_read_callback(easy, readMail, context),
            latchkey_curl_set_trace_callback(easy, traceSMTP, context),
            latchkey_curl_set_progress_callback(easy, checkSMTPCancellation, context),
            latchkey_curl_set_start_callback(easy, beginSMTPMail, context),
        ]
        if let user = options.user {
            outcomes.append(latchkey_curl_set_string(easy, CURLOPT_USERNAME, user))
            outcomes.append(latchkey_curl_set_string(easy, CURLOPT_PASSWORD, options.password?.exposed ?? ""))
        }
        if let certificates = options.trustedCertificates {
            let bytes = Array(certificates.utf8)
            outcomes.append(latchkey_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, bytes, bytes.count))
        }
        return outcomes
    }
}

/// A libcurl read callback that copies the next part of the message.
private func readMail(
    space: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.read(UnsafeMutableRawBufferPointer(start: space, count: size * count))
}

/// A libcurl trace callback that records which commands were sent and how the server replied.
private func traceSMTP(
    easy: UnsafeMutableRawPointer?,
    kind: curl_infotype,
    bytes: UnsafeMutablePointer<CChar>?,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    switch kind {
    case CURLINFO_HEADER_OUT: transfer.recordCommand(line)
    case CURLINFO_HEADER_IN: transfer.recordReply(line)
    default: break
    }
    return 0
}

/// A libcurl callback that runs after the greeting and prevents the transfer if the server can't accept it.
private func beginSMTPMail(
    context: UnsafeMutableRawPointer?,
    _: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let transfer = Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.canBegin() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// A libcurl progress callback that aborts the transfer if the job was cancelled.
private func checkSMTPCancellation(
    context: UnsafeMutableRawPointer?,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<SMTPTransfer>.fromOpaque(context).takeUnretainedValue().job.isCancelled ? 1 : 0
}

extension Duration {
    fileprivate var milliseconds: Int { Int(max(1, wholeMicroseconds / 1000)) }
}
