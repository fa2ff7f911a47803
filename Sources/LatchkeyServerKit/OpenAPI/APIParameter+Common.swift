import LatchkeyWire

extension APIParameter {
    /// The maximum number of entries on a page.
    package static let pageSize = APIParameter.query(
        "page_size",
        "The maximum number of entries per page. Default: \(PageRequest.usualSize); maximum: \(PageRequest.greatestSize).",
        .integer(minimum: 1, maximum: Int64(PageRequest.greatestSize))
    )

    /// The token of the requested page.
    ///
    /// Clients omit this parameter to get the first page.
    package static let pageToken = APIParameter.query(
        "page_token",
        "The token of the requested page, from the `Link` header of the previous page."
    )

    /// The page number, starting at 0.
    ///
    /// Kratos has deprecated this parameter in favor of ``pageToken``.
    package static let page = APIParameter.query(
        "page",
        "The page number, counted from 0. Deprecated in Kratos in favor of `page_token`.",
        .integer(minimum: 0, maximum: nil)
    )

    /// An older name for ``pageSize``.
    package static let perPage = APIParameter.query(
        "per_page",
        "The former name of `page_size`; deprecated in Kratos.",
        .integer(minimum: 1, maximum: Int64(PageRequest.greatestSize))
    )

    /// The preferred languages for forms and messages.
    package static let language = APIParameter.header(
        "Accept-Language",
        "The preferred languages for the form and for any e-mail or text message that the request triggers."
    )
}
