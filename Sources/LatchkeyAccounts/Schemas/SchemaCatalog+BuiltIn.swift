extension SchemaCatalog {
    /// The JSON texts of the built-in schemas, keyed by id.
    static let builtIn: [String: [UInt8]] = [
        "customer": Array(customer.utf8),
        "business": Array(business.utf8),
        "person": Array(person.utf8),
        "reader": Array(reader.utf8),
        "shopper": Array(shopper.utf8),
    ]

    /// Customers have a phone number and a passcode.
    ///
    /// Customers register with a code, and their sessions need a device certificate.
    private static let customer = """
        {
          "$id": "customer",
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Customer",
          "type": "object",
          "latchkey": {
            "certificate": "required",
            "registration": "anyone",
            "verifiedPhone": "phone",
            "password": {"minLength": 6, "refuseSimilar": false}
          },
          "properties": {
            "traits": {
              "type": "object",
              "additionalProperties": false,
              "required": ["phone"],
              "properties": {
                "name": {
                  "type": "object",
                  "title": "Name",
                  "additionalProperties": false,
                  "properties": {
                    "first": {
                      "type": "string",
                      "title": "First name",
                      "maxLength": 200,
                      "latchkey": {"claim": "given_name"}
                    },
                    "last": {
                      "type": "string",
                      "title": "Last name",
                      "maxLength": 200,
                      "latchkey": {"claim": "family_name"}
                    }
                  }
                },
                "phone": {
                  "type": "string",
                  "format": "tel",
                  "title": "Phone number",
                  "latchkey": {"claim": "phone_number"},
                  "ory.sh/kratos": {
                    "credentials": {"password": {"identifier": true}},
                    "verification": {"via": "sms"},
                    "recovery": {"via": "sms"}
                  }
                },
                "email": {
                  "type": "string",
                  "format": "email",
                  "title": "E-mail",
                  "latchkey": {"claim": "email"},
                  "ory.sh/kratos": {
                    "verification": {"via": "email"},
                    "recovery": {"via": "email"}
                  }
                }
              }
            }
          }
        }

        """

    /// Business users are created by operators.
    ///
    /// Sessions of business users need a device certificate.
    private static let business = """
        {
          "$id": "business",
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Business user",
          "type": "object",
          "latchkey": {
            "certificate": "required",
            "registration": "operator"
          },
          "properties": {
            "traits": {
              "type": "object",
              "additionalProperties": false,
              "required": ["email"],
              "properties": {
                "email": {
                  "type": "string",
                  "format": "email",
                  "title": "E-mail",
                  "latchkey": {"claim": "email"},
                  "ory.sh/kratos": {
                    "credentials": {"password": {"identifier": true}},
                    "verification": {"via": "email"},
                    "recovery": {"via": "email"}
                  }
                },
                "name": {
                  "type": "object",
                  "title": "Name",
                  "additionalProperties": false,
                  "properties": {
                    "first": {
                      "type": "string",
                      "title": "First name",
                      "maxLength": 200,
                      "latchkey": {"claim": "given_name"}
                    },
                    "last": {
                      "type": "string",
                      "title": "Last name",
                      "maxLength": 200,
                      "latchkey": {"claim": "family_name"}
                    }
                  }
                }
              }
            }
          }
        }

        """

    /// Persons have an email address and a phone number.
    ///
    /// Accounts with this schema behave as in plain Ory Kratos.
    private static let person = """
        {
          "$id": "person",
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Person",
          "type": "object",
          "properties": {
            "traits": {
              "type": "object",
              "additionalProperties": false,
              "required": ["email", "phone"],
              "properties": {
                "email": {
                  "type": "string",
                  "format": "email",
                  "title": "E-mail",
                  "minLength": 3,
                  "latchkey": {"claim": "email"},
                  "ory.sh/kratos": {
                    "credentials": {
                      "password": {"identifier": true},
                      "code": {"identifier": true, "via": "email"}
                    },
                    "verification": {"via": "email"},
                    "recovery": {"via": "email"}
                  }
                },
                "phone": {
                  "type": "string",
                  "format": "tel",
                  "title": "Phone number",
                  "minLength": 3,
                  "latchkey": {"claim": "phone_number"},
                  "ory.sh/kratos": {
                    "credentials": {
                      "password": {"identifier": true},
                      "code": {"identifier": true, "via": "sms"}
                    },
                    "verification": {"via": "sms"}
                  }
                },
                "name": {
                  "type": "string",
                  "title": "Name",
                  "maxLength": 200,
                  "latchkey": {"claim": "name"}
                }
              }
            }
          }
        }

        """

    /// The schema for readers, who have an e-mail address or a phone number.
    ///
    /// Readers log in with a code and can add a password.
    private static let reader = """
        {
          "$id": "reader",
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Reader",
          "type": "object",
          "latchkey": {
            "registration": "anyone"
          },
          "properties": {
            "traits": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "email": {
                  "type": "string",
                  "format": "email",
                  "title": "E-mail",
                  "latchkey": {"claim": "email"},
                  "ory.sh/kratos": {
                    "credentials": {
                      "password": {"identifier": true},
                      "code": {"identifier": true, "via": "email"}
                    },
                    "verification": {"via": "email"},
                    "recovery": {"via": "email"}
                  }
                },
                "phone": {
                  "type": "string",
                  "format": "tel",
                  "title": "Phone number",
                  "latchkey": {"claim": "phone_number"},
                  "ory.sh/kratos": {
                    "credentials": {
                      "password": {"identifier": true},
                      "code": {"identifier": true, "via": "sms"}
                    },
                    "verification": {"via": "sms"},
                    "recovery": {"via": "sms"}
                  }
                },
                "name": {
                  "type": "object",
                  "title": "Name",
                  "additionalProperties": false,
                  "properties": {
                    "given": {
                      "type": "string",
                      "title": "Given name",
                      "maxLength": 200,
                      "latchkey": {"claim": "given_name"}
                    },
                    "family": {
                      "type": "string",
                      "title": "Family name",
                      "maxLength": 200,
                      "latchkey": {"claim": "family_name"}
                    }
                  }
                },
                "display_name": {
                  "type": "string",
                  "title": "Display name",
                  "maxLength": 100,
                  "latchkey": {"claim": "nickname"}
                },
                "birthday": {
                  "type": "string",
                  "format": "date",
                  "title": "Birthday",
                  "latchkey": {"claim": "birthdate"}
                }
              }
            }
          }
        }

        """

    /// Shoppers have a phone number and a region.
    ///
    /// Shoppers log in with a code.
    private static let shopper = """
        {
          "$id": "shopper",
          "$schema": "http://json-schema.org/draft-07/schema#",
          "title": "Shopper",
          "type": "object",
          "latchkey": {
            "registration": "anyone",
            "verifiedPhone": "phone"
          },
          "properties": {
            "traits": {
              "type": "object",
              "additionalProperties": false,
              "required": ["phone"],
              "properties": {
                "phone": {
                  "type": "string",
                  "format": "tel",
                  "title": "Phone number",
                  "latchkey": {"claim": "phone_number"},
                  "ory.sh/kratos": {
                    "credentials": {"code": {"identifier": true, "via": "sms"}},
                    "verification": {"via": "sms"},
                    "recovery": {"via": "sms"}
                  }
                },
                "region": {"type": "string", "title": "Region", "minLength": 2, "maxLength": 2},
                "name": {
                  "type": "string",
                  "title": "Name",
                  "maxLength": 200,
                  "latchkey": {"claim": "name"}
                }
              }
            }
          }
        }

        """
}
