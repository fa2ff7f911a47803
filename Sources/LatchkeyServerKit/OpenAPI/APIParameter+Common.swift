extension APIParameter {
    /// The maximum number of entries on a page.
    package static let pageSize = APIParameter.query(
        "page_size",
        "The maximum number of entries per page. Default: \(PageRequest.usualSize); maximum: \(PageRequest.greatestSize).",
        .integer(minimum: 1, maximum: Int64(PageRequest.greatestSize))
    )

    /// The token of the page to return; absent for the first page.
    package static let pageToken = APIParameter.query(
        "page_token",
        "The token of the requested page, from the `Link` header of the previous page."
    )

    /// The number of the page, counted from 0; deprecated in Kratos in favour of ``pageToken``.
    package static let page = APIParameter.query(
        "page",
        "Deprecated in Kratos: the page number, from 0, instead of `page_token`.",
        .integer(minimum: 0, maximum: nil)
    )

    /// The older name of ``pageSize``.
    package static let perPage = APIParameter.query(
        "per_page",
        "Deprecated in Kratos: the former name of `page_size`.",
        .integer(minimum: 1, maximum: Int64(PageRequest.greatestSize))
    )

    /// The preferred language of forms and messages.
    package static let language = APIParameter.header(
        "Accept-Language",
        "The preferred languages of the form and of the messages that this request sends."
    )
}
