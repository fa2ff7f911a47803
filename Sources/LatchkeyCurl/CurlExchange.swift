import CCurl
import CCurlShim
import LatchkeyModel
import LatchkeyWire

/// A transfer in libcurl, along with its fully configured easy handle.
///
/// This object is only used on the thread of the ``CurlLoop``. The handle and the header list are freed when
/// this object is deallocated.
///
/// libcurl passes a pointer to ``transfer`` to the handle's callbacks. The exchange retains the transfer
/// until the handle is freed.
final class CurlExchange {
    /// The request that the callbacks read from, and the response buffers that they fill.
    let transfer: CurlTransfer
    /// The easy handle.
    ///
    /// The loop uses the handle to find the exchange of a completed transfer.
    let easy: UnsafeMutableRawPointer
    private var headerList: UnsafeMutablePointer<curl_slist>?

    /// Creates and configures the easy handle, or returns `nil` if libcurl rejects an option.
    ///
    /// The transfer does not start until the handle is added to the loop's multi handle.
    init?(_ transfer: CurlTransfer) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.transfer = transfer
        guard setUp() else { return nil }
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
    }

    /// Completes the transfer with the result from libcurl.
    ///
    /// If the response head is incomplete, a successful result is treated as a failure
    /// (`CURLE_PARTIAL_FILE`).
    ///
    /// If libcurl did not send a single byte of the request, the error says that the request was never sent.
    func finish(_ outcome: CURLcode) {
        let neverSent = latchkey_curl_get_long(easy, CURLINFO_REQUEST_SIZE) == 0
        if outcome != CURLE_OK {
            transfer.finish(.failure(failure(outcome, neverSent: neverSent)), neverSent: neverSent)
        } else if !transfer.isHeadComplete {
            transfer.finish(.failure(failure(CURLE_PARTIAL_FILE, neverSent: false)), neverSent: false)
        } else {
            let status = latchkey_curl_get_long(easy, CURLINFO_RESPONSE_CODE)
            transfer.finish(.success(transfer.response(status: status)), neverSent: false)
        }
    }

    /// Sets all options, or returns `false` if libcurl rejects one of them or runs out of memory.
    ///
    /// The URL is sent unchanged, without normalizing the path, and the version is HTTP/1.1. We suppress
    /// libcurl's own `Expect` header, and its `Content-Type` if the request has none. Header fields with an
    /// empty value are also sent.
    private func setUp() -> Bool {
        let options = transfer.options
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        var outcomes = [
            latchkey_curl_set_string(easy, CURLOPT_URL, transfer.url),
            latchkey_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
            latchkey_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1),
            latchkey_curl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            latchkey_curl_close_sockets_on_exec(easy),
            // The head of a proxy's response to CONNECT is not part of the response.
            latchkey_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            // Without this option, cancelling a request during its DNS lookup would delay all other requests.
            latchkey_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1),
            // The limit of 45 seconds is shorter than the idle timeouts of servers, so we don't reuse a
            // connection that the server is about to close.
            latchkey_curl_set_long(easy, CURLOPT_MAXAGE_CONN, 45),
            latchkey_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            latchkey_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            latchkey_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.milliseconds),
            latchkey_curl_set_body_callback(easy, receiveCurlBody, context),
            latchkey_curl_set_header_callback(easy, receiveCurlHeader, context),
        ]
        if let certificates = options.trustedCertificates {
            let bytes = Array(certificates.utf8)
            outcomes.append(latchkey_curl_set_blob(easy, CURLOPT_CAINFO_BLOB, bytes, bytes.count))
        }
        outcomes += timeLimits()
        outcomes += proxy()
        outcomes += method()
        // A header line without a value prevents libcurl from adding its own.
        var lines = ["Expect:"]
        if transfer.request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        for field in transfer.request.headers.fields {
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        for line in lines {
            guard let longer = curl_slist_append(headerList, line) else { return false }
            headerList = longer
        }
        outcomes.append(latchkey_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList))
        return outcomes.allSatisfy { $0 == CURLE_OK }
    }

    /// Sets the time limits.
    ///
    /// A streamed exchange without a time limit fails if no data is transferred for a minute.
    private func timeLimits() -> [CURLcode] {
        if let timeout = transfer.timeout {
            // libcurl interprets 0 as no limit.
            let limit = RequestLimits.isUnlimited(timeout) ? 0 : timeout.milliseconds
            return [latchkey_curl_set_long(easy, CURLOPT_TIMEOUT_MS, limit)]
        }
        return [
            latchkey_curl_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 1),
            latchkey_curl_set_long(easy, CURLOPT_LOW_SPEED_TIME, 60),
        ]
    }

    /// Sets the proxy options.
    ///
    /// Loopback requests never use a proxy, even if one is configured.
    private func proxy() -> [CURLcode] {
        // Loopback requests may be unencrypted, so they must not leave this machine through a proxy.
        if transfer.isLoopback { return [latchkey_curl_set_string(easy, CURLOPT_PROXY, "")] }
        return switch transfer.options.proxy {
        case .system: []
        case .none: [latchkey_curl_set_string(easy, CURLOPT_PROXY, "")]
        case .url(let url):
            // An explicit proxy overrides the environment, including `no_proxy`.
            [
                latchkey_curl_set_string(easy, CURLOPT_PROXY, url),
                latchkey_curl_set_string(easy, CURLOPT_NOPROXY, ""),
            ]
        }
    }

    /// Sets the request method and the body.
    ///
    /// If there is no body, `Content-Length` is omitted for `GET`, `DELETE` and `HEAD` requests only.
    private func method() -> [CURLcode] {
        let request = transfer.request
        if let upload = transfer.upload { return uploading(upload, method: request.method) }
        if request.method == .head { return [latchkey_curl_set_long(easy, CURLOPT_NOBODY, 1)] }
        if request.body.isEmpty, request.method == .get || request.method == .delete {
            return [latchkey_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue)]
        }
        var outcomes = [
            latchkey_curl_set_long(easy, CURLOPT_POST, 1),
            latchkey_curl_set_long(easy, CURLOPT_POSTFIELDSIZE, request.body.count),
            latchkey_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue),
        ]
        if request.body.isEmpty {
            outcomes.append(latchkey_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, ""))
        } else {
            // If a kept-alive connection breaks, libcurl repeats the request on a new connection unless it
            // would have to send the body twice. The server may already have processed the first request, so
            // we prevent repetitions by passing a body that can only be read once.
            let context = Unmanaged.passUnretained(transfer).toOpaque()
            outcomes.append(latchkey_curl_set_read_callback(easy, sendCurlBody, context))
        }
        return outcomes
    }

    /// Sets the method and a streamed body.
    ///
    /// A body of unknown size is sent with chunked encoding.
    private func uploading(_ upload: CurlUpload, method: HTTP.Method) -> [CURLcode] {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        return [
            latchkey_curl_set_long(easy, CURLOPT_UPLOAD, 1),
            latchkey_curl_set_large(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.length ?? -1)),
            latchkey_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method.rawValue),
            latchkey_curl_set_read_callback(easy, sendCurlBody, context),
        ]
    }

    /// Resumes a transfer that was paused by a callback.
    func resume() {
        // The value 0 is `CURLPAUSE_CONT`, a macro that Swift does not import.
        curl_easy_pause(easy, 0)
    }

    /// Returns the error for a libcurl result.
    ///
    /// The message contains the host but no other part of the request. If the connection failed, the message
    /// also names the proxy, because the proxy may be the cause. The error has the head of a response whose body
    /// is missing, so that callers can use its status.
    ///
    /// Results without a dedicated error code become `unreachable`, because most are connection failures.
    private func failure(_ outcome: CURLcode, neverSent: Bool) -> TransportError {
        let reason = String(cString: curl_easy_strerror(outcome))
        let code: TransportError.Code =
            switch outcome {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            // `CURLE_SSL_CONNECT_ERROR` is not in this list because libcurl also returns it when a connection
            // breaks.
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
                .untrusted
            case CURLE_WRITE_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL,
                CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING:
                .invalidResponse
            case CURLE_URL_MALFORMAT: .invalidRequest
            case CURLE_ABORTED_BY_CALLBACK where transfer.upload?.hasFailed == true: .invalidRequest
            default: .unreachable
            }
        let message =
            transfer.isTooLarge ? "The response is larger than \(transfer.options.bodyLimit) bytes." : reason
        let hint = code == .unreachable || code == .timedOut ? transfer.proxyHint : nil
        var error = TransportError(
            code,
            message: "\(transfer.host): \(message)" + (hint.map { ". \($0)" } ?? ""),
            neverSent: neverSent,
            cause: code == .invalidRequest ? transfer.upload?.failure : nil
        )
        error.head = transfer.head
        return error
    }
}

// The callback for `CURLOPT_READFUNCTION`. The function returns the number of bytes copied, 0 at the end of
// the body, or one of libcurl's special codes.
private func sendCurlBody(
    space: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return switch transfer.sendBody(UnsafeMutableRawBufferPointer(start: space, count: size * count)) {
    case .copied(let count): count
    case .pause: Int(CURL_READFUNC_PAUSE)
    case .abort: Int(CURL_READFUNC_ABORT)
    }
}

// The callback for `CURLOPT_WRITEFUNCTION`. libcurl aborts the transfer unless this function returns the
// number of bytes it was passed.
private func receiveCurlBody(
    bytes: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return switch transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
    case .accepted: size * count
    case .pause: Int(CURL_WRITEFUNC_PAUSE)
    case .tooLarge: 0
    }
}

// The callback for `CURLOPT_HEADERFUNCTION`. The function is called once for each header line.
private func receiveCurlHeader(
    bytes: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

extension Duration {
    // The result is at least 1 because libcurl interprets 0 as no limit or as its default, and it fits into
    // the 32 bits that libcurl stores.
    fileprivate var milliseconds: Int { Int(min(max(1, wholeMicroseconds / 1000), Int64(Int32.max))) }
}
