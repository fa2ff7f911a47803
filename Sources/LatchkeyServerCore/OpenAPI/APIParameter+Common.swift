extension APIParameter {
    /// The maximum number of entries on a page.
    static let pageSize = APIParameter.query(
        "page_size",
        "How many entries a page has at most; \(PageRequest.usualSize) when not given, \(PageRequest.greatestSize) at most.",
        .integer(minimum: 1, maximum: Int64(PageRequest.greatestSize))
    )

    /// The token of the page to return; absent for the first page.
    static let pageToken = APIParameter.query(
        "page_token",
        "Where the page begins: from the header `Link` of the page before."
    )

    /// The number of the page, counted from 0; deprecated in Kratos in favour of ``pageToken``.
    static let page = APIParameter.query(
        "page",
        "Deprecated in Kratos: the number of the page, from 0, in place of `page_token`.",
        .integer(minimum: 0, maximum: nil)
    )

    /// The older name of ``pageSize``.
    static let perPage = APIParameter.query(
        "per_page",
        "Deprecated in Kratos: an older name of `page_size`.",
        .integer(minimum: 1, maximum: Int64(PageRequest.greatestSize))
    )

    /// The preferred language of forms and messages.
    static let language = APIParameter.header(
        "Accept-Language",
        "The language of the form, and of messages that are sent because of this request."
    )
}
