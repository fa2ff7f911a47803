import LatchkeyServerKit
import LatchkeyWire

extension SchemaComponent {
    static let money = SchemaComponent(
        "Money",
        "An amount of money in the minor units of a currency, such as cents.",
        .object([
            .required("amount", .integer(minimum: 0, maximum: nil)),
            .required("currency", .matching("^[A-Z]{3}$")),
        ])
    )

    static let storefront = SchemaComponent(
        "Storefront",
        "A region in which products are sold.",
        .object([
            .required("id", .text),
            .required("country_code", .matching("^[A-Z]{2}$")),
            .required("currency", .matching("^[A-Z]{3}$")),
            .required("is_guess", .boolean),
        ])
    )

    static let product = SchemaComponent(
        "Product",
        "A product with its price in a storefront, and its texts in the language of the request.",
        .object([
            .required("id", .text),
            .required("title", .text),
            .required("description", .text),
            .required("kind", .oneOf(ProductKind.allCases)),
            .required("price", .component(money)),
        ])
    )

    static let paymentMethod = SchemaComponent(
        "PaymentMethod",
        "A payment method of an account.",
        .object([
            .required("id", .uuid),
            .required("kind", .oneOf(PaymentMethodKind.allCases)),
            .required("brand", .text),
            .required("last_four", .matching("^[0-9]{4}$")),
            .required("is_default", .boolean),
            .required("created_at", .time),
        ])
    )

    static let transaction = SchemaComponent(
        "Transaction",
        "A purchase transaction; `price` is the price of one unit.",
        .object(transactionMembers)
    )

    static let administeredTransaction = SchemaComponent(
        "AdministeredTransaction",
        """
        A purchase transaction with the id of its account. `detached_at` is the time at which a new owner reclaimed the \
        account; the transaction has been hidden from the account since then.
        """,
        .object(transactionMembers + [.required("identity_id", .uuid), .optional("detached_at", .time)])
    )

    private static let transactionMembers: [JSONSchema.Property] = [
        .required("id", .uuid),
        .required("product_id", .text),
        .required("quantity", .integer(minimum: 1, maximum: Int64(OrderRequest.mostUnits))),
        .required("price", .component(money)),
        .required("country_code", .matching("^[A-Z]{2}$")),
        .required("state", .oneOf(TransactionState.allCases)),
        .required("created_at", .time),
        .required("updated_at", .time),
        .optional("purchased_at", .time),
        .optional("finished_at", .time),
        .optional("refunded_at", .time),
        .optional("failure", .oneOf(TransactionFailure.allCases)),
    ]
}

extension JSONSchema {
    /// A response that contains a transaction.
    static let transaction = JSONSchema.object([.required("transaction", .component(.transaction))])
}
